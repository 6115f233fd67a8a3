"""The container of a saved file: a zip archive laid out as torch lays it out, and its reader.

Records are stored, not compressed, and each begins at a multiple of 64 bytes, so that the file can be mapped into
memory.
"""

import os
import struct

from .damage import archive_errors, need_room

ALIGNMENT = 64
_LOCAL = struct.Struct("<4s5H3I2H")
_FLAGS = 0x0808  # sizes follow the data; names are utf-8
_BIG = 0xFFFFFFFF
MOST_DEFLATED = 1032  # bytes that one of a compressed record can stand for


class Writer:
    """Writes records to a file object that need not be seekable. Close with `finish`."""

    def __init__(self, file, name):
        self._file, self._name, self._at, self._entries = file, name, 0, []

    def _put(self, data):
        self._file.write(data)
        self._at += len(data)

    def record(self, name, data):
        """One record; data is anything with the buffer protocol."""
        import zlib

        data = memoryview(data).cast("B") if len(data) else b""
        size, crc, start = len(data), zlib.crc32(data), self._at
        label = f"{self._name}/{name}".encode()
        big = size >= _BIG or start >= _BIG
        wide = struct.pack("<2HQQ", 1, 16, size, size) if big else b""
        bare = start + _LOCAL.size + len(label) + len(wide) + 4
        pad = -bare % ALIGNMENT
        extra = wide + struct.pack("<2sH", b"FB", pad) + b"Z" * pad
        shown = _BIG if big else 0
        self._put(_LOCAL.pack(b"PK\3\4", 0, _FLAGS, 0, 0, 0, 0, shown, shown, len(label), len(extra)))
        self._put(label + extra)
        if size:
            self._file.write(data)
            self._at += size
            self._put(struct.pack("<4sIQQ" if big else "<4s3I", b"PK\7\10", crc, size, size))
        self._entries.append((label, crc, size, start))

    def finish(self):
        """The directory at the end."""
        begin = self._at
        for label, crc, size, start in self._entries:
            wide = struct.pack("<2H3Q", 1, 24, size, size, start) if size >= _BIG or start >= _BIG else b""
            shown, where = (_BIG, _BIG) if wide else (size, start)
            self._put(
                struct.pack(
                    "<4s6H3I5H2I",
                    b"PK\1\2",
                    0,
                    0,
                    _FLAGS,
                    0,
                    0,
                    0,
                    crc,
                    shown,
                    shown,
                    len(label),
                    len(wide),
                    0,
                    0,
                    0,
                    0,
                    where,
                )
                + label
                + wide
            )
        length, count = self._at - begin, len(self._entries)
        if begin >= _BIG or count >= 0xFFFF:
            end = self._at
            self._put(struct.pack("<4sQ2H2I4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, length, begin))
            self._put(struct.pack("<4sIQI", b"PK\6\7", 0, end, 1))
        self._put(
            struct.pack(
                "<4s4H2IH",
                b"PK\5\6",
                0,
                0,
                min(count, 0xFFFF),
                min(count, 0xFFFF),
                min(length, _BIG),
                min(begin, _BIG),
                0,
            )
        )


class Reader:
    """Reads the records of an archive from a seekable file object."""

    def __init__(self, file):
        import zipfile

        self._file = file
        with archive_errors("zip archive"):
            self._zip = zipfile.ZipFile(file)
            self._length = file.seek(0, os.SEEK_END)
        names = self._zip.namelist()
        if not names:
            raise RuntimeError("PytorchStreamReader failed reading zip archive: archive does not contain any files")
        self._prefix = names[0].partition("/")[0] + "/"
        self._infos = {i.filename.removeprefix(self._prefix): i for i in self._zip.infolist()}

    def has(self, name) -> bool:
        return name in self._infos

    def _info(self, name):
        if name not in self._infos:
            raise RuntimeError(f"PytorchStreamReader failed locating file {name}: file not found")
        found = self._infos[name]
        need_room(found.compress_size, self._length - found.header_offset, f"record {name}")
        most = found.compress_size * (MOST_DEFLATED if found.compress_type else 1)
        need_room(found.file_size, most, f"record {name}")
        return found

    def record(self, name) -> bytes:
        """The bytes of one record."""
        info = self._info(name)
        with archive_errors(f"file {name}"):
            return self._zip.read(info)

    def size(self, name) -> int:
        """The number of bytes of one record."""
        return self._info(name).file_size

    def into(self, name, data):
        """Read one record into a writable buffer of its size; raises RuntimeError when it is shorter or damaged."""
        info = self._info(name)
        with archive_errors(f"file {name}"), self._zip.open(info) as record:
            view, at = memoryview(data).cast("B"), 0
            while at < len(view) and (got := record.readinto(view[at:])):
                at += got
            record.read()  # what no tensor reads, to the end, where the check sum is compared
        if at != len(view):
            raise RuntimeError(
                f"PytorchStreamReader failed reading file {name}: it has {at} bytes, {len(view)} were expected"
            )

    def offset(self, name) -> int:
        """Where the record's bytes begin in the file."""
        info = self._info(name)
        with archive_errors(f"file {name}"):
            self._file.seek(info.header_offset)
            fields = _LOCAL.unpack(self._file.read(_LOCAL.size))
        return info.header_offset + _LOCAL.size + fields[-2] + fields[-1]


class Replacing:
    """with Replacing(path) as file: what is written appears under `path` at the end, whole, or not at all."""

    def __init__(self, path):
        self._path = path

    def __enter__(self):
        folder = os.path.dirname(os.path.realpath(self._path))
        if not os.path.isdir(folder):
            raise RuntimeError(f"Parent directory {os.path.dirname(self._path) or folder} does not exist.")
        if os.path.exists(self._path) and not os.path.isfile(self._path):  # a device, a pipe: written directly
            self._temporary, self._file = None, open(self._path, "wb")
            return self._file
        import tempfile

        handle, self._temporary = tempfile.mkstemp(
            prefix=os.path.basename(self._path) + ".", suffix=".part", dir=folder
        )
        self._file = os.fdopen(handle, "wb")
        return self._file

    def __exit__(self, failure, *rest):
        self._file.close()
        if self._temporary is None:
            return
        if failure is not None:
            os.unlink(self._temporary)
            return
        target = os.path.realpath(self._path)  # a link stays a link
        if os.path.exists(target):
            mode = os.stat(target).st_mode & 0o777
        else:
            mask = os.umask(0)
            os.umask(mask)
            mode = 0o666 & ~mask
        os.chmod(self._temporary, mode)
        os.replace(self._temporary, target)
