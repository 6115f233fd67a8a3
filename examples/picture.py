"""Draws line charts and grey images into a PNG file with nothing but python, so that no example needs matplotlib.

page = Page(640, 400)
chart(page, (60, 40, 620, 360), {"train": [2.3, 1.1, 0.4]}, title="loss", x_label="epoch")
tile(page, 100, 370, image, scale=4)          # image: rows of numbers from 0 (paper) to 1 (ink)
page.save("out.png")
"""

import math
import struct
import zlib

INK, GREY, FAINT, PAPER = (40, 44, 52), (110, 116, 128), (228, 231, 236), (255, 255, 255)
BLUE, ORANGE, GREEN, RED = (38, 103, 194), (224, 122, 31), (46, 140, 80), (200, 50, 47)

# A 5x8 alphabet: five columns a letter, two hex digits a column, the lowest bit on top.
LETTERS = {
    " ": "0000000000", "%": "2313086462", "(": "001C224100", ")": "0041221C00", "+": "08083E0808", ",": "0050300000",
    "-": "0808080808", ".": "0060600000", "/": "2010080402", "0": "3E4141413E", "1": "00427F4000", "2": "4261514946",
    "3": "2141454B31", "4": "1814127F10", "5": "2745454539", "6": "3C4A494930", "7": "0171090503", "8": "3649494936",
    "9": "064949291E", ":": "0036360000", "=": "1414141414", "A": "7E1111117E", "B": "7F49494936", "C": "3E41414122",
    "D": "7F4141221C", "E": "7F49494941", "F": "7F09090901", "G": "3E4149497A", "H": "7F0808087F", "I": "00417F4100",
    "J": "2040413F01", "K": "7F08142241", "L": "7F40404040", "M": "7F020C027F", "N": "7F0408107F", "O": "3E4141413E",
    "P": "7F09090906", "Q": "3E4151215E", "R": "7F09192946", "S": "4649494931", "T": "01017F0101", "U": "3F4040403F",
    "V": "1F2040201F", "W": "3F4038403F", "X": "6314081463", "Y": "0708700807", "Z": "6151494543", "a": "2054545478",
    "b": "7F48444438", "c": "3844444420", "d": "384444487F", "e": "3854545418", "f": "087E090102", "g": "18A4A4A47C",
    "h": "7F08040478", "i": "00447D4000", "j": "4080847D00", "k": "7F10284400", "l": "00417F4000", "m": "7C04180478",
    "n": "7C08040478", "o": "3844444438", "p": "FC24242418", "q": "18242424FC", "r": "7C08040408", "s": "4854545420",
    "t": "043F444020", "u": "3C4040207C", "v": "1C2040201C", "w": "3C4030403C", "x": "4428102844", "y": "1CA0A0A07C",
    "z": "4464544C44",
}  # fmt: skip


class Page:
    """A white page of RGB pixels; x grows to the right and y downwards."""

    def __init__(self, width, height):
        self.width, self.height = width, height
        self.pixels = bytearray(bytes(PAPER) * (width * height))

    def blend(self, x, y, colour, share):
        """Mix `share` (0 to 1) of a colour into one pixel; outside the page nothing happens."""
        if 0 <= x < self.width and 0 <= y < self.height and share > 0:
            at = 3 * (y * self.width + x)
            for i, value in enumerate(colour):
                self.pixels[at + i] += round((value - self.pixels[at + i]) * min(share, 1.0))

    def box(self, left, top, right, bottom, colour):
        left, right = max(left, 0), min(right, self.width)
        for y in range(max(top, 0), min(bottom, self.height)):
            at = 3 * (y * self.width + left)
            self.pixels[at : at + 3 * (right - left)] = bytes(colour) * (right - left)

    def line(self, x0, y0, x1, y1, colour, width=2.0):
        """A straight line with round ends and smooth edges: a pixel takes the colour by its distance from the line."""
        reach, dx, dy = width / 2 + 0.5, x1 - x0, y1 - y0
        length2 = dx * dx + dy * dy
        for y in range(math.floor(min(y0, y1) - reach), math.ceil(max(y0, y1) + reach) + 1):
            for x in range(math.floor(min(x0, x1) - reach), math.ceil(max(x0, x1) + reach) + 1):
                t = ((x - x0) * dx + (y - y0) * dy) / length2 if length2 else 0.0
                t = min(max(t, 0.0), 1.0)
                self.blend(x, y, colour, reach - math.hypot(x - x0 - t * dx, y - y0 - t * dy))

    def dot(self, x, y, radius, colour):
        self.line(x, y, x, y, colour, 2 * radius)

    def text(self, x, y, words, colour=INK, size=2, align="left"):
        """Words with their upper left corner at (x, y); `align` puts their middle or their right end at x."""
        x -= {"left": 0, "middle": 0.5, "right": 1}[align] * text_width(words, size)
        for n, letter in enumerate(words):
            columns = bytes.fromhex(LETTERS.get(letter, LETTERS["-"]))
            for column, bits in enumerate(columns):
                for row in range(8):  # the eighth for the tails of g, p, q and y
                    if bits >> row & 1:
                        left, top = round(x) + (6 * n + column) * size, y + row * size
                        self.box(left, top, left + size, top + size, colour)

    def save(self, path):
        def chunk(kind, data):
            return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

        stride = 3 * self.width
        rows = b"".join(b"\0" + self.pixels[y * stride : (y + 1) * stride] for y in range(self.height))
        head = struct.pack(">IIBBBBB", self.width, self.height, 8, 2, 0, 0, 0)
        with open(path, "wb") as file:
            file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head))
            file.write(chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def text_width(words, size=2):
    return max(6 * len(words) - 1, 0) * size


def ticks(low, high, count=5):
    """About `count` round numbers that cover low to high, and the number of decimals they need."""
    span = (high - low) or abs(high) or 1.0
    step = 10.0 ** math.floor(math.log10(span / count))
    step *= min((1, 2, 5, 10), key=lambda k: abs(span / (k * step) - count))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [n * step for n in range(first, last + 1)], max(0, -math.floor(math.log10(step) + 1e-9))


def chart(page, frame, series, title, x_label="", colours=(BLUE, ORANGE, GREEN, RED), first=1, legend="top"):
    """Lines over x = first, first + 1, ... inside frame = (left, top, right, bottom), with axes, ticks and a legend.

    series: name -> list of numbers. legend: "top" or "bottom", at the right inside the frame.
    """
    left, top, right, bottom = frame
    values = [v for line in series.values() for v in line if math.isfinite(v)]
    marks, decimals = ticks(min(values), max(values))
    low, high = marks[0], marks[-1]
    longest = max(len(line) for line in series.values())
    last = max(first + longest - 1, first + 1)

    def place(x, y):
        return left + (right - left) * (x - first) / (last - first), bottom - (bottom - top) * (y - low) / (high - low)

    page.text(left, top - 28, title)
    for mark in marks:
        y = round(place(first, mark)[1])
        page.box(left, y, right, y + 1, FAINT)
        page.text(left - 8, y - 6, f"{mark:.{decimals}f}", GREY, align="right")
    step = max(1, round(ticks(first, last, 6)[0][1] - ticks(first, last, 6)[0][0]))
    for n in range(first, last + 1):
        if n == first or n % step == 0 and n - first >= step / 2:
            x = round(place(n, low)[0])
            page.box(x, bottom, x + 1, bottom + 5, GREY)
            page.text(x, bottom + 10, str(n), GREY, align="middle")
    page.box(left, bottom, right, bottom + 1, GREY)
    page.text((left + right) // 2, bottom + 30, x_label, GREY, align="middle")
    for n, (name, line) in enumerate(series.items()):
        colour = colours[n % len(colours)]
        points = [place(first + i, v) for i, v in enumerate(line) if math.isfinite(v)]
        for start, end in zip(points, points[1:], strict=False):
            page.line(*start, *end, colour, 2.5)
        for point in points if longest <= 40 else ():
            page.dot(*point, 3.5, colour)
        width = max(text_width(other) for other in series)
        y = top + 10 + 22 * n if legend == "top" else bottom - 10 - 22 * (len(series) - n)
        page.line(right - width - 40, y + 7, right - width - 16, y + 7, colour, 3.0)
        page.text(right - width - 8, y, name, INK)


def tile(page, left, top, image, scale=8, edge=FAINT):
    """A grey image, rows of numbers from 0 (paper) to 1 (ink), each pixel a square, inside a thin frame."""
    height, width = len(image) * scale, len(image[0]) * scale
    page.box(left - 2, top - 2, left + width + 2, top + height + 2, edge)
    for row, line in enumerate(image):
        for column, value in enumerate(line):
            shade = min(max(value, 0.0), 1.0)
            colour = tuple(round(p + (i - p) * shade) for p, i in zip(PAPER, INK, strict=True))
            x, y = left + column * scale, top + row * scale
            page.box(x, y, x + scale, y + scale, colour)
