"""Short programs of many kinds (images, text, graphs, games), run on both libraries with outputs compared.

Each stands for a kind of repository: if one fails, look for the op or layer that differs first, not for the program.
"""

import collections
import itertools
import math

import numpy as np
import pytest
from both import same

PROGRAMS = []


def program(f):
    PROGRAMS.append(f)
    return f


# ---- images


@program
def mnist(t):
    nn, F = t.nn, t.nn.functional

    class Net(nn.Module):
        def __init__(self):
            super(Net, self).__init__()
            self.conv1 = nn.Conv2d(1, 6, 3, 1)
            self.conv2 = nn.Conv2d(6, 8, 3, 1)
            self.dropout = nn.Dropout2d(0.25)
            self.fc = nn.Linear(8 * 9, 10)

        def forward(self, x):
            x = F.relu(F.max_pool2d(F.relu(self.conv1(x)), 2), inplace=True)
            x = self.dropout(self.conv2(x))
            return F.log_softmax(self.fc(t.flatten(x, 1)), dim=1)

    data = t.utils.data.TensorDataset(t.randn(40, 1, 12, 12), t.randint(0, 10, (40,)))
    loader = t.utils.data.DataLoader(data, batch_size=16, shuffle=True)
    device = t.device("cuda" if t.cuda.is_available() else "cpu")
    model = Net().to(device)
    optimizer = t.optim.Adadelta(model.parameters(), lr=1.0)
    scheduler = t.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.7)
    for epoch in range(2):
        model.train()
        for x, y in loader:
            optimizer.zero_grad()
            loss = F.nll_loss(model(x.to(device)), y.to(device))
            loss.backward()
            optimizer.step()
            yield loss.item()
        scheduler.step()
    model.eval()
    with t.no_grad():
        pred = model(data.tensors[0]).argmax(dim=1, keepdim=True)
    yield pred.eq(data.tensors[1].view_as(pred)).sum().item(), str(model), str(optimizer), scheduler.get_last_lr()


@program
def residual_blocks(t):
    nn = t.nn

    class Block(nn.Module):
        def __init__(self, inplanes, planes, stride=1, downsample=None):
            super().__init__()
            self.conv1 = nn.Conv2d(inplanes, planes, 3, stride, 1, bias=False)
            self.bn1 = nn.BatchNorm2d(planes)
            self.relu = nn.ReLU(inplace=True)  # writes over what batch norm gave
            self.conv2 = nn.Conv2d(planes, planes, 3, 1, 1, bias=False)
            self.bn2 = nn.GroupNorm(2, planes)
            self.downsample = downsample

        def forward(self, x):
            out = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
            out += x if self.downsample is None else self.downsample(x)
            return self.relu(out)

    shortcut = nn.Sequential(nn.Conv2d(4, 8, 1, 2, bias=False), nn.BatchNorm2d(8))
    model = nn.Sequential(
        nn.Conv2d(3, 4, 7, 2, 3),
        nn.MaxPool2d(3, 2, 1),
        nn.ReLU(inplace=True),
        Block(4, 4),
        Block(4, 8, 2, shortcut),
        nn.AdaptiveAvgPool2d((1, 1)),
        nn.Flatten(),
        nn.Linear(8, 5),
    )
    for m in model.modules():
        if isinstance(m, nn.Conv2d):
            nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")
    x, y = t.randn(4, 3, 24, 24), t.tensor([0, 3, 1, 4])
    optimizer = t.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4, nesterov=True)
    for _ in range(4):
        loss = nn.functional.cross_entropy(model(x), y, label_smoothing=0.1)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss.item()
    yield model.eval()(x), [(n, b.shape, b.dtype) for n, b in model.named_buffers()]


@program
def unet(t):
    nn, F = t.nn, t.nn.functional

    def double(i, o):
        return nn.Sequential(nn.Conv2d(i, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.LeakyReLU(0.1, True))

    down1, down2, last = double(3, 4), double(4, 8), nn.Conv2d(8, 3, 1)
    up = nn.ConvTranspose2d(8, 4, kernel_size=2, stride=2)
    parts = nn.ModuleList([down1, down2, up, last])
    image, mask = t.rand(2, 3, 9, 11), t.randint(0, 3, (2, 9, 11))
    optimizer = t.optim.RMSprop(parts.parameters(), lr=1e-3, momentum=0.9)
    for _ in range(3):
        a = down1(image)
        b = up(down2(F.max_pool2d(a, 2)))
        b = F.pad(b, [0, a.size(3) - b.size(3), 0, a.size(2) - b.size(2)])
        out = last(t.cat([a, b], dim=1))
        chance, target = F.softmax(out, dim=1), F.one_hot(mask, 3).permute(0, 3, 1, 2).float()
        dice = (2 * (chance * target).sum((-1, -2)) / (chance.sum((-1, -2)) + target.sum((-1, -2)))).mean()
        loss = F.cross_entropy(out, mask, weight=t.tensor([0.1, 0.5, 0.4]), ignore_index=2) + 1 - dice
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        yield loss.item(), nn.utils.clip_grad_norm_(parts.parameters(), 1.0)
        optimizer.step()
    for mode in ("nearest", "bilinear", "bicubic", "area"):
        yield F.interpolate(image, scale_factor=1.5, mode=mode).sum()


@program
def feature_hooks_and_grad_cam(t):
    nn, F = t.nn, t.nn.functional
    net = nn.Sequential(
        nn.Conv2d(1, 4, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(4, 6, 3, padding=1),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(6, 3),
    )
    kept = {}
    layer = net[2]
    handles = [
        layer.register_forward_hook(lambda m, i, o: kept.update(a=o)),
        layer.register_full_backward_hook(lambda m, gi, go: kept.update(g=go[0])),
    ]
    x = t.randn(2, 1, 6, 6)
    out = net(x)
    out[range(2), out.argmax(1)].sum().backward()
    cam = F.relu((kept["g"].mean(dim=(2, 3), keepdim=True) * kept["a"]).sum(1, keepdim=True))
    yield F.interpolate(cam, x.shape[2:], mode="bilinear", align_corners=False), kept["a"].shape
    for handle in handles:
        handle.remove()
    pre = net[0].register_forward_pre_hook(lambda m, args: (args[0] * 2,))
    yield net(x)
    pre.remove()
    adversary = x.clone().requires_grad_(True)
    F.cross_entropy(net(adversary), t.tensor([0, 1])).backward()
    yield t.clamp(x + 0.03 * adversary.grad.sign(), x.min(), x.max())


# ---- generative models


@program
def vae(t):
    nn, F = t.nn, t.nn.functional
    encoder, decoder = nn.Sequential(nn.Linear(20, 12), nn.ReLU(), nn.Linear(12, 6)), nn.Linear(3, 20)
    optimizer = t.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=1e-2)
    x = t.bernoulli(t.rand(16, 20))
    for _ in range(4):
        mu, logvar = encoder(x).chunk(2, dim=1)
        z = mu + t.randn_like(mu) * t.exp(0.5 * logvar)
        bce = F.binary_cross_entropy(t.sigmoid(decoder(z)), x, reduction="sum")
        loss = bce - 0.5 * t.sum(1 + logvar - mu.pow(2) - logvar.exp())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss.item()


@program
def gan_with_gradient_penalty(t):
    nn = t.nn
    G = nn.Sequential(nn.Linear(4, 12), nn.BatchNorm1d(12, 0.8), nn.LeakyReLU(0.2, inplace=True), nn.Linear(12, 6))
    D = nn.Sequential(nn.Linear(6, 16), nn.LayerNorm(16), nn.LeakyReLU(0.2, inplace=True), nn.Linear(16, 1))
    for m in itertools.chain(G, D):
        if type(m).__name__.find("Linear") != -1:
            nn.init.normal_(m.weight.data, 0.0, 0.2)
    to_g = t.optim.Adam(G.parameters(), lr=2e-3, betas=(0.5, 0.999))
    to_d = t.optim.Adam(D.parameters(), lr=2e-3, betas=(0.5, 0.999))
    for _ in range(3):
        real = t.from_numpy(np.random.normal(1, 1, (8, 6))).type(t.FloatTensor)
        fake = G(t.randn(8, 4)).detach()
        alpha = t.rand(8, 1)
        between = (alpha * real + (1 - alpha) * fake).requires_grad_(True)
        slope = t.autograd.grad(outputs=D(between), inputs=between, grad_outputs=t.ones(8, 1), create_graph=True)[0]
        penalty = ((slope.norm(2, dim=1) - 1) ** 2).mean()
        to_d.zero_grad()
        loss = D(fake).mean() - D(real).mean() + 10 * penalty
        loss.backward()
        to_d.step()
        to_g.zero_grad()
        gain = -D(G(t.randn(8, 4))).mean()
        gain.backward()
        to_g.step()
        yield loss.item(), penalty.item(), gain.item()


@program
def diffusion(t):
    nn, F = t.nn, t.nn.functional
    steps = 10
    x = t.linspace(0, steps, steps + 1, dtype=t.float64)
    kept = t.cos(((x / steps) + 0.008) / 1.008 * math.pi * 0.5) ** 2
    betas = t.clip(1 - kept[1:] / kept[:-1], 0, 0.999).float()
    bar = t.cumprod(1 - betas, dim=0)
    net = nn.Sequential(
        nn.Conv2d(2, 8, 3, padding=1), nn.GroupNorm(4, 8), nn.SiLU(inplace=True), nn.Conv2d(8, 1, 3, padding=1)
    )
    optimizer, data = t.optim.AdamW(net.parameters(), 1e-2), t.rand(4, 1, 6, 6) * 2 - 1

    def extract(a, when):
        return a.gather(-1, when).reshape(-1, 1, 1, 1)

    def predict(x, when):
        return net(t.cat([x, (when / steps)[:, None, None, None].expand_as(x)], dim=1))

    for _ in range(3):
        when, noise = t.randint(0, steps, (4,)).long(), t.randn_like(data)
        noisy = extract(bar.sqrt(), when) * data + extract((1 - bar).sqrt(), when) * noise
        loss = F.smooth_l1_loss(predict(noisy, when), noise)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        yield loss.item()
    with t.no_grad():
        img = t.randn(1, 1, 6, 6)
        for i in reversed(range(steps)):
            when = t.full((1,), i, dtype=t.long)
            img = img - extract(betas / (1 - bar).sqrt(), when) * predict(img, when)
            img = img / extract((1 - betas).sqrt(), when)
            if i:
                img = img + extract(betas, when).sqrt() * t.randn_like(img)
    yield img


# ---- language


@program
def char_lstm(t):
    nn, F = t.nn, t.nn.functional
    text = t.randint(0, 12, (4, 30)).t().contiguous()
    encoder, decoder, drop = nn.Embedding(12, 10), nn.Linear(10, 12), nn.Dropout(0.2)
    decoder.weight = encoder.weight
    for kind in ("LSTM", "GRU", "RNN"):
        rnn = getattr(nn, kind)(10, 10, 2, dropout=0.1)
        params = [*encoder.parameters(), *rnn.parameters(), decoder.bias]
        hidden = t.zeros(2, 4, 10)
        hidden = (hidden, hidden.clone()) if kind == "LSTM" else hidden
        for i in range(0, 29, 10):
            hidden = tuple(h.detach() for h in hidden) if kind == "LSTM" else hidden.detach()
            length = min(10, 29 - i)
            out, hidden = rnn(drop(encoder(text[i : i + length])), hidden)
            loss = F.cross_entropy(decoder(out).view(-1, 12), text[i + 1 : i + 1 + length].view(-1))
            for p in params:
                p.grad = None
            loss.backward()
            nn.utils.clip_grad_norm_(params, 0.25)
            for p in params:
                p.data.add_(p.grad, alpha=-1.0)
            yield loss.item()


@program
def packed_sequences(t):
    nn, rnn = t.nn, t.nn.utils.rnn
    words = [t.randint(1, 20, (n,)) for n in (5, 2, 7, 3)]
    lengths = t.tensor([len(w) for w in words])
    padded = rnn.pad_sequence(words, batch_first=True)
    emb = nn.Embedding(20, 6, padding_idx=0)
    lstm, gru = nn.LSTM(6, 5, 2, batch_first=True, bidirectional=True), nn.GRU(10, 4, batch_first=True)
    packed = rnn.pack_padded_sequence(emb(padded), lengths, batch_first=True, enforce_sorted=False)
    out, (h, c) = lstm(packed)
    out, last = gru(out)
    out, sizes = rnn.pad_packed_sequence(out, batch_first=True)
    (last.sum() + h.square().mean()).backward()
    yield padded, packed.batch_sizes, packed.sorted_indices, out, sizes, c
    yield emb.weight.grad, lstm.weight_hh_l1_reverse.grad


@program
def gpt(t):
    nn, F = t.nn, t.nn.functional

    class Attention(nn.Module):
        def __init__(self, d, heads, block, flash):
            super().__init__()
            self.qkv, self.proj, self.heads, self.flash = nn.Linear(d, 3 * d, bias=False), nn.Linear(d, d), heads, flash
            self.register_buffer("bias", t.tril(t.ones(block, block)).view(1, 1, block, block))

        def forward(self, x):
            B, T, C = x.size()
            q, k, v = (u.view(B, T, self.heads, C // self.heads).transpose(1, 2) for u in self.qkv(x).split(C, dim=2))
            if self.flash:
                y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            else:
                att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
                y = F.softmax(att.masked_fill(self.bias[:, :, :T, :T] == 0, float("-inf")), dim=-1) @ v
            return self.proj(y.transpose(1, 2).contiguous().view(B, T, C))

    class GPT(nn.Module):
        def __init__(self, flash, d=12, vocab=20, block=8):
            super().__init__()
            self.parts = nn.ModuleDict(
                dict(
                    wte=nn.Embedding(vocab, d),
                    wpe=nn.Embedding(block, d),
                    ln=nn.LayerNorm(d),
                    h=nn.ModuleList([Attention(d, 2, block, flash) for _ in range(2)]),
                    mlp=nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(approximate="tanh"), nn.Linear(4 * d, d)),
                )
            )
            self.head = nn.Linear(d, vocab, bias=False)
            self.parts.wte.weight = self.head.weight
            self.apply(lambda m: nn.init.normal_(m.weight, mean=0.0, std=0.2) if isinstance(m, nn.Linear) else None)

        def forward(self, idx, targets=None):
            x = self.parts.wte(idx) + self.parts.wpe(t.arange(0, idx.size(1), dtype=t.long, device=idx.device))
            for block in self.parts.h:
                x = x + block(self.parts.ln(x))
            logits = self.head(x + self.parts.mlp(self.parts.ln(x)))
            if targets is None:
                return logits, None
            return logits, F.cross_entropy(logits.view(-1, 20), targets.view(-1), ignore_index=-1)

        @t.no_grad()
        def generate(self, idx, n, top_k):
            for _ in range(n):
                logits = self(idx[:, -8:])[0][:, -1, :] / 0.8
                v, _ = t.topk(logits, top_k)
                logits[logits < v[:, [-1]]] = -float("Inf")
                idx = t.cat((idx, t.multinomial(F.softmax(logits, dim=-1), num_samples=1)), dim=1)
            return idx

    for flash in (True, False):
        model = GPT(flash)
        named = dict(model.named_parameters())
        groups = [
            {"params": [p for p in named.values() if p.dim() >= 2], "weight_decay": 0.1},
            {"params": [p for p in named.values() if p.dim() < 2], "weight_decay": 0.0},
        ]
        optimizer = t.optim.AdamW(groups, lr=1e-2, betas=(0.9, 0.95))
        data = t.randint(20, (60,))
        for step in range(3):
            for group in optimizer.param_groups:
                group["lr"] = 1e-2 * (step + 1) / 3
            for _ in range(2):  # gradients of two small batches add up
                ix = t.randint(len(data) - 8, (3,))
                x, y = (t.stack([data[i + k : i + k + 8] for i in ix]) for k in (0, 1))
                loss = model(x, y)[1] / 2
                loss.backward()
            yield loss.item(), t.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        yield model.generate(t.zeros((1, 1), dtype=t.long), 12, 5), len(named), list(model.state_dict())[:3]


@program
def transformer_layers_and_masks(t):
    nn = t.nn
    model = nn.Transformer(8, 2, 1, 1, 12, dropout=0.0, batch_first=True, norm_first=False, activation="gelu")
    src, tgt = t.rand(2, 5, 8), t.rand(2, 4, 8)
    causal = nn.Transformer.generate_square_subsequent_mask(4)
    pad = t.tensor([[0, 0, 0, 0, 0], [0, 0, 0, 1, 1]]).bool()
    out = model(src, tgt, tgt_mask=causal, src_key_padding_mask=pad, memory_key_padding_mask=pad)
    (out * tgt).sum().backward()
    yield out, [p.grad.norm() for p in model.parameters()]
    mha = nn.MultiheadAttention(8, 2, batch_first=True)
    banned = t.ones(4, 5).tril(1).bool().logical_not()
    out, weights = mha(tgt, src, src, key_padding_mask=pad, attn_mask=banned)
    yield out, weights, mha(tgt, src, src, need_weights=True, average_attn_weights=False)[1].shape
    model.eval()
    yield model(src, tgt, tgt_mask=causal, src_key_padding_mask=pad)


@program
def rotary_cache_and_grouped_heads(t):
    F = t.nn.functional
    freqs = 1.0 / (10000.0 ** (t.arange(0, 4, 2).float() / 4))
    turn = t.polar(t.ones(6, 2), t.outer(t.arange(6).float(), freqs))
    q, k, v = t.randn(1, 6, 4, 4, requires_grad=True), t.randn(1, 6, 2, 4), t.randn(1, 6, 2, 4)

    def rotate(x):
        z = t.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2)) * turn[:, None]
        return t.view_as_real(z).flatten(3).type_as(x)

    cache = t.zeros(1, 8, 2, 4)
    cache[:1, 1:7] = rotate(k)
    k = cache[:, 1:7, :, None, :].expand(1, 6, 2, 2, 4).reshape(1, 6, 4, 4)
    v = t.repeat_interleave(v, 2, dim=2)
    mask = t.triu(t.full((6, 6), float("-inf")), diagonal=1)
    scores = t.einsum("bqhd,bkhd->bhqk", rotate(q), k) / 2 + mask
    out = F.softmax(scores.float(), dim=-1).type_as(q) @ v.transpose(1, 2)
    out.pow(2).sum().backward()
    probs, order = t.sort(out.flatten().softmax(-1), descending=True)
    probs[probs.cumsum(-1) - probs > 0.9] = 0.0
    yield out, q.grad, order[t.multinomial(probs.div_(probs.sum()), 3)]


@program
def word2vec(t):
    nn, F = t.nn, t.nn.functional
    inner, outer = nn.Embedding(9, 5), nn.Embedding(9, 5)
    inner.weight.data.uniform_(-1, 1)
    optimizer = t.optim.Adagrad([*inner.parameters(), *outer.parameters()], lr=0.5)
    noise = t.arange(1.0, 10) ** 0.75
    for _ in range(3):
        center, context = t.LongTensor([1, 2, 3, 4, 2]), t.LongTensor([2, 3, 4, 5, 0])
        negative = t.multinomial(noise, 15, replacement=True).view(5, 3)
        v = inner(center)
        hit = F.logsigmoid((outer(context) * v).sum(1))
        miss = F.logsigmoid(t.bmm(outer(negative).neg(), v.unsqueeze(2)).squeeze(2)).sum(1)
        loss = -(hit + miss).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss.item()
    unit = inner.weight.data / inner.weight.data.norm(dim=1, keepdim=True)
    yield (unit @ unit.T).fill_diagonal_(-1).topk(2, dim=1)
    bag = nn.EmbeddingBag(9, 3, mode="max", padding_idx=2)
    bag(t.tensor([1, 2, 4, 5, 2]), t.tensor([0, 2, 2])).sum().backward()
    yield (
        bag.weight.grad,
        F.embedding_bag(
            t.tensor([[1, 2], [0, 1]]),
            t.arange(6.0).view(3, 2),
            mode="sum",
            per_sample_weights=t.tensor([[1.0, 0.5], [2.0, 1.0]]),
        ),
    )


@program
def speech(t):
    nn, F = t.nn, t.nn.functional
    conv, rnn, out = nn.Conv1d(6, 8, 3, 2, 1), nn.GRU(8, 5, bidirectional=True), nn.Linear(10, 5)
    parts = nn.ModuleList([conv, rnn, out])
    optimizer = t.optim.Adam(parts.parameters(), 1e-2)
    sounds, lengths = t.randn(3, 6, 20), t.tensor([20, 18, 11])
    texts, sizes = t.tensor([[1, 2, 2, 4], [3, 3, 1, 0], [2, 0, 0, 0]]), t.tensor([4, 3, 1])
    for _ in range(3):
        hidden = nn.Sequential(conv, nn.BatchNorm1d(8), nn.ReLU(inplace=True), nn.Dropout(0.1))(sounds)
        log_probs = F.log_softmax(out(rnn(hidden.permute(2, 0, 1))[0]), dim=-1)
        frames = t.div(lengths + 1, 2, rounding_mode="floor")
        loss = nn.CTCLoss(zero_infinity=True)(log_probs, texts, frames, sizes)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss.item(), out.weight.grad
    yield [F.ctc_loss(log_probs, texts, f, sizes, reduction="none") for f in (frames, t.tensor([10, 3, 5]))]
    yield [t.unique_consecutive(row[:n]) for row, n in zip(log_probs.argmax(-1).t(), frames)]


# ---- graphs, games, losses


@program
def graph_attention(t):
    nn, F = t.nn, t.nn.functional
    src, dst = t.cat([t.randint(0, 8, (2, 20)), t.arange(8).repeat(2, 1)], dim=1).unique(dim=1)
    lin, att = nn.Linear(8, 6, bias=False), nn.Parameter(t.empty(2, 2, 3))
    nn.init.xavier_uniform_(att)
    y = t.randint(3, (8,))
    optimizer = t.optim.Adamax([lin.weight, att], lr=0.05)
    for _ in range(3):
        h = lin(t.eye(8)).view(8, 2, 3)
        a = F.leaky_relu((h * att[0]).sum(-1)[src] + (h * att[1]).sum(-1)[dst], 0.2)
        where = dst.view(-1, 1).expand_as(a)
        top = t.full((8, 2), float("-inf")).scatter_reduce_(0, where, a.detach(), reduce="amax", include_self=False)
        weight = (a - top[dst]).exp()
        weight = weight / (t.zeros(8, 2).scatter_add_(0, where, weight)[dst] + 1e-16)
        out = t.zeros_like(h).index_add(0, dst, h[src] * weight[..., None]).mean(1)
        loss = F.cross_entropy(out, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss.item(), lin.weight.grad.norm()
    yield t.bincount(dst, minlength=8)


@program
def dqn_and_policy_gradients(t):
    nn = t.nn
    policy, target = (nn.Sequential(nn.Linear(4, 12), nn.ReLU(), nn.Linear(12, 2)) for _ in range(2))
    target.load_state_dict(policy.state_dict())
    optimizer = t.optim.AdamW(policy.parameters(), lr=1e-2, amsgrad=True)
    memory = collections.deque(
        [
            (t.randn(1, 4), t.randint(2, (1, 1)), None if i % 4 == 0 else t.randn(1, 4), t.tensor([float(i % 3)]))
            for i in range(8)
        ],
        maxlen=8,
    )
    for _ in range(2):
        state, action, after, reward = zip(*memory)
        alive = t.tensor([s is not None for s in after], dtype=t.bool)
        value = t.zeros(8)
        with t.no_grad():
            value[alive] = target(t.cat([s for s in after if s is not None])).max(1).values
        chosen = policy(t.cat(state)).gather(1, t.cat(action))
        loss = nn.SmoothL1Loss()(chosen, (value * 0.99 + t.cat(reward)).unsqueeze(1))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_value_(policy.parameters(), 100)
        optimizer.step()
        mine, theirs = policy.state_dict(), target.state_dict()
        for key in mine:
            theirs[key] = mine[key] * 0.1 + theirs[key] * 0.9
        target.load_state_dict(theirs)
        yield loss.item()
    obs, gain = t.randn(10, 4), t.randn(10)
    with t.no_grad():
        before = policy(obs).log_softmax(-1)
        action = t.multinomial(before.exp(), 1)
    for _ in range(2):  # PPO
        now = policy(obs).log_softmax(-1)
        ratio = (now - before).gather(1, action).squeeze(-1).exp()
        loss = t.max(-gain * ratio, -gain * t.clamp(ratio, 0.8, 1.2)).mean() + 0.01 * (now.exp() * now).sum(1).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss.item(), action, ((ratio - 1).abs() > 0.2).float().mean().item()


@program
def metric_losses_and_distillation(t):
    nn, F = t.nn, t.nn.functional
    net, teacher = nn.Sequential(nn.Linear(6, 8), nn.PReLU(), nn.Linear(8, 4)), nn.Linear(6, 4)
    x, label = t.randn(8, 6), t.tensor([0, 0, 1, 1, 2, 2, 0, 1])
    z = F.normalize(net(x), p=2, dim=1)
    d, same = t.cdist(z, z), label[None] == label[:, None]
    hard = F.relu((d * same).max(1)[0] - (d + same * 1e5).min(1)[0] + 0.3).mean()
    sim = (z @ z.t() / 0.5).masked_fill(t.eye(8, dtype=t.bool), float("-inf"))
    losses = [
        hard,
        F.cross_entropy(sim, t.arange(8).roll(4)),
        nn.TripletMarginLoss(swap=True)(z[:3], z[3:6], z[5:]),
        F.cosine_embedding_loss(z[:4], z[4:], t.tensor([1, -1, 1, -1]), margin=0.1),
        F.kl_div(F.log_softmax(z / 2, 1), F.softmax(teacher(x).detach() / 2, 1), reduction="batchmean") * 4,
        F.binary_cross_entropy_with_logits(z, t.rand(8, 4), pos_weight=t.full((4,), 2.0)),
        F.cross_entropy(z, F.one_hot(label, 4) * 0.9 + 0.025),
        F.huber_loss(z, x[:, :4], delta=0.3),
    ]
    sum(losses).backward()
    yield losses, [p.grad for p in net.parameters()]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_program(program):
    same(program, looks="requires_grad stride", rtol=5e-6, of_largest=5e-6, quiet=True)
