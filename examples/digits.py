"""Trains a small convolutional network to read handwritten digits, written for torch.

    python examples/digits.py                    with torch
    python -m lucid examples/digits.py           the same file with lucid, printing the same numbers

It prints the losses and the validation accuracy of every epoch, then the accuracy on digits it never saw, and leaves a
checkpoint (digits.pt) and a picture (digits.png) in the folder that --out names.
"""

import argparse
import csv
import gzip
import os

import matplotlib
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset, random_split
from tqdm import tqdm

matplotlib.use("Agg")  # pictures go to files
from matplotlib import pyplot as plt  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))


class DigitNet(nn.Module):
    """Images (N, 1, 8, 8) to scores (N, 10)."""

    def __init__(self, width=8, dropout=0.25):
        super().__init__()
        # No bias before a batch norm, which would take it away again.
        self.conv1 = nn.Conv2d(1, width, 3, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, 2 * width, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(2 * width)
        self.pool = nn.MaxPool2d(2)
        self.head = nn.Sequential(
            nn.Flatten(),
            nn.Linear(2 * width * 2 * 2, 64),
            nn.ReLU(),
            nn.Dropout(dropout),
            nn.Linear(64, 10),
        )

    def forward(self, x):
        x = self.pool(F.relu(self.norm1(self.conv1(x))))
        x = self.pool(F.relu(self.norm2(self.conv2(x))))
        return self.head(x)


def load_digits():
    """All 1,797 images as a dataset of (float image (1, 8, 8) from 0 to 1, digit)."""
    with gzip.open(os.path.join(HERE, "data", "digits.csv.gz"), "rt") as file:
        table = torch.tensor([[int(cell) for cell in row] for row in csv.reader(file)])
    images = table[:, :64].float().view(-1, 1, 8, 8) / 16
    return TensorDataset(images, table[:, 64])


def train_epoch(model, loader, optimizer, device, label):
    """One pass over the training data; the mean loss over its samples."""
    model.train()
    total, seen = 0.0, 0
    bar = tqdm(loader, label, leave=False, disable=None)  # on a terminal only
    for images, labels in bar:
        images, labels = images.to(device), labels.to(device)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(labels)
        seen += len(labels)
        bar.set_postfix(loss=f"{total / seen:.4f}", refresh=False)
    return total / seen


@torch.no_grad()
def evaluate(model, loader, device):
    """Mean loss, and the share of images read correctly."""
    model.eval()
    loss, correct, seen = 0.0, 0, 0
    for images, labels in loader:
        images, labels = images.to(device), labels.to(device)
        scores = model(images)
        loss += F.cross_entropy(scores, labels, reduction="sum").item()
        correct += (scores.argmax(dim=1) == labels).sum().item()
        seen += len(labels)
    return loss / seen, correct / seen


@torch.no_grad()
def draw(path, history, accuracy, model, test_set, device):
    """The curves of the training above twenty test digits, each with what the network reads in it."""
    model.eval()
    images = torch.stack([test_set[i][0] for i in range(len(test_set))])
    labels = torch.tensor([int(test_set[i][1]) for i in range(len(test_set))])
    chances = F.softmax(model(images.to(device)), dim=1).cpu()
    sure, read = chances.max(dim=1)
    wrong = (read != labels).nonzero().flatten().tolist()
    right = (read == labels).nonzero().flatten().tolist()
    shown = (wrong[:6] + right)[:20]

    figure = plt.figure(figsize=(10, 7), layout="constrained")
    figure.suptitle(f"{accuracy:.2%} of {len(labels)} unseen digits read correctly")
    curves, digits = figure.subfigures(2, 1)
    epochs = range(1, len(history["train"]) + 1)
    losses, rates = curves.subplots(1, 2)
    losses.plot(epochs, history["train"], label="train")
    losses.plot(epochs, history["val"], label="validation")
    losses.set(xlabel="epoch", ylabel="cross entropy (nats)", ylim=0)
    losses.legend()
    rates.plot(epochs, [100 * a for a in history["accuracy"]], color="tab:orange", label="validation")
    rates.set(xlabel="epoch", ylabel="read correctly (%)")
    rates.legend()
    for axes in (losses, rates):
        axes.xaxis.get_major_locator().set_params(integer=True)
    digits.suptitle("what it reads, and how sure it is (misread digits first, in red)")
    for axes, i in zip(digits.subplots(2, 10).flat, shown, strict=False):
        axes.imshow(images[i, 0].tolist(), cmap="gray_r")
        axes.set(xticks=[], yticks=[])
        said = f"{int(read[i])}  {float(sure[i]):.0%}"
        axes.set_xlabel(said, color="tab:green" if read[i] == labels[i] else "tab:red")
    figure.savefig(path, dpi=110)
    plt.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--compile", metavar="BACKEND", help="torch.compile the model: eager, ...")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", default="out", help="folder for the checkpoint and the picture")
    args = parser.parse_args()

    os.makedirs(args.out, exist_ok=True)
    device = torch.device(args.device)
    torch.manual_seed(args.seed)
    # The split does not depend on --seed: the test images stay unseen whatever is tried.
    parts = random_split(load_digits(), [1257, 180, 360], generator=torch.Generator().manual_seed(1998))
    train_loader = DataLoader(parts[0], batch_size=args.batch_size, shuffle=True)
    val_loader, test_loader = (DataLoader(part, batch_size=180) for part in parts[1:])

    model = DigitNet().to(device)
    if args.compile:
        model.compile(backend=args.compile)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=args.epochs)
    print(f"{sum(p.numel() for p in model.parameters()):,} parameters, {len(parts[0]):,} training images, on {device}")

    history = {"train": [], "val": [], "accuracy": []}
    checkpoint = os.path.join(args.out, "digits.pt")
    for epoch in range(1, args.epochs + 1):
        label = f"epoch {epoch:2d}/{args.epochs}"
        lr = scheduler.get_last_lr()[0]
        train_loss = train_epoch(model, train_loader, optimizer, device, label)
        scheduler.step()
        val_loss, val_accuracy = evaluate(model, val_loader, device)
        for key, value in zip(history, (train_loss, val_loss, val_accuracy), strict=True):
            history[key].append(value)
        print(
            f"{label}  lr {lr:.6f}  train loss {train_loss:#.6g}  val loss {val_loss:#.6g}  "
            f"val accuracy {val_accuracy:.2%}",
            flush=True,
        )
        torch.save(
            {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch, "history": history},
            checkpoint,
        )

    # What counts is what was saved: a new network, filled from the file, reads the test images.
    model = DigitNet()
    model.load_state_dict(torch.load(checkpoint, map_location="cpu")["model"])
    model.to(device)
    test_loss, test_accuracy = evaluate(model, test_loader, device)
    print(f"test loss {test_loss:#.6g}  test accuracy {test_accuracy:.2%}")
    draw(os.path.join(args.out, "digits.png"), history, test_accuracy, model, parts[2], device)
    print(f"wrote {checkpoint} and {os.path.join(args.out, 'digits.png')}")


if __name__ == "__main__":
    main()
