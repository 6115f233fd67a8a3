"""Trains a small transformer to write verse letter by letter, written for torch; attention is spelled out by hand.

    python examples/chars.py                     with torch
    python -m lucid examples/chars.py            the same file with lucid, printing the same losses

The text is eighteen of Shakespeare's sonnets (examples/data/sonnets.txt). It prints the loss on the way and some lines
of its own at the end.
"""

import argparse
import math
import os

import torch
from torch import nn
from torch.nn import functional as F

HERE = os.path.dirname(os.path.abspath(__file__))


class Attention(nn.Module):
    """Each place looks back at the places before it: (batch, time, width) to the same shape."""

    def __init__(self, width, heads, context):
        super().__init__()
        self.heads = heads
        self.to_qkv = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width)
        mask = torch.ones(context, context, dtype=torch.bool).triu(diagonal=1)
        self.register_buffer("future", mask, persistent=False)

    def forward(self, x):
        batch, time, width = x.shape
        size = width // self.heads
        q, k, v = (part.view(batch, time, self.heads, size).transpose(1, 2) for part in self.to_qkv(x).chunk(3, dim=-1))
        scores = q @ k.transpose(-2, -1) / math.sqrt(size)
        scores = scores.masked_fill(self.future[:time, :time], float("-inf"))
        mixed = scores.softmax(dim=-1) @ v
        return self.out(mixed.transpose(1, 2).reshape(batch, time, width))


class Block(nn.Module):
    def __init__(self, width, heads, context, dropout):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = Attention(width, heads, context)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        x = x + self.dropout(self.attention(self.norm1(x)))
        return x + self.dropout(self.mlp(self.norm2(x)))


class Writer(nn.Module):
    """Letters (batch, time) as integers to scores for the next letter (batch, time, letters)."""

    def __init__(self, letters, width=64, heads=4, depth=2, context=48, dropout=0.1):
        super().__init__()
        self.context = context
        self.letter = nn.Embedding(letters, width)
        self.place = nn.Parameter(torch.zeros(context, width))
        self.blocks = nn.ModuleList(Block(width, heads, context, dropout) for _ in range(depth))
        self.norm = nn.LayerNorm(width)
        self.apply(self.start)

    @staticmethod
    def start(module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, std=0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)

    def forward(self, letters):
        x = self.letter(letters) + self.place[: letters.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.norm(x) @ self.letter.weight.T  # the same table reads letters and writes them

    @torch.no_grad()
    def write(self, start, count, temperature=0.8, top=12):
        """`start` (1, time) continued by `count` letters, each drawn from the `top` most likely ones."""
        self.eval()
        letters = start
        for _ in range(count):
            scores = self(letters[:, -self.context :])[:, -1] / temperature
            least = scores.topk(top).values[:, -1:]
            chances = scores.masked_fill(scores < least, float("-inf")).softmax(dim=-1)
            letters = torch.cat([letters, torch.multinomial(chances, 1)], dim=1)
        return letters


def groups(model, decay):
    """Weight decay for matrices; none for biases and norms."""
    matrices = [p for p in model.parameters() if p.dim() >= 2]
    others = [p for p in model.parameters() if p.dim() < 2]
    return [{"params": matrices, "weight_decay": decay}, {"params": others, "weight_decay": 0.0}]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--compile", metavar="BACKEND", help="torch.compile the model: eager, ...")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--letters", type=int, default=400, help="how many letters to write at the end")
    parser.add_argument("--every", type=int, default=50, help="steps between two lines of output")
    args = parser.parse_args()

    with open(os.path.join(HERE, "data", "sonnets.txt"), encoding="ascii") as file:
        text = file.read()
    alphabet = sorted(set(text))
    number = {letter: n for n, letter in enumerate(alphabet)}
    device = torch.device(args.device)
    data = torch.tensor([number[letter] for letter in text], device=device)

    torch.manual_seed(args.seed)
    model = Writer(len(alphabet)).to(device)
    if args.compile:
        model.compile(backend=args.compile)
    optimizer = torch.optim.AdamW(groups(model, 0.1), lr=args.lr, betas=(0.9, 0.95))
    warm = max(args.steps // 10, 1)

    def rate(step):
        """Up in a straight line, down along a cosine, as a share of --lr."""
        if step < warm:
            return (step + 1) / warm
        return 0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * (step - warm) / max(args.steps - warm, 1)))

    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, rate)
    print(f"{len(text):,} letters, {len(alphabet)} of them different; ", end="")
    print(f"{sum(p.numel() for p in model.parameters()):,} parameters, on {device}")

    total, largest = 0.0, 0.0
    steps_back = torch.arange(model.context, device=device)
    for step in range(1, args.steps + 1):
        model.train()
        starts = torch.randint(len(data) - model.context, (args.batch_size, 1)).to(device)
        places = starts + steps_back
        scores = model(data[places])
        loss = F.cross_entropy(scores.flatten(0, 1), data[places + 1].flatten())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        optimizer.step()
        scheduler.step()
        total += loss.item()
        largest = max(largest, float(norm))
        if step % args.every == 0 or step == args.steps:
            since = step % args.every or args.every
            print(f"step {step:4d}  loss {total / since:#.6g}  largest gradient {largest:#.4g}", flush=True)
            total, largest = 0.0, 0.0

    if args.letters:
        written = model.write(data[:1].view(1, 1), args.letters)[0].tolist()
        print("\n" + "".join(alphabet[n] for n in written))


if __name__ == "__main__":
    main()
