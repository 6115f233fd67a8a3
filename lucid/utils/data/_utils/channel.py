"""How a DataLoader and a worker talk: short messages through a pair of sockets, bytes of tensors as files in memory.

A message is a header, a pickle, and the descriptors of files. Storages that collating put into files of their own go as
they are; other storages, arrays and long pickles are packed into one more file. So what passes through the socket
stays short, and a worker hardly ever waits for its reader. There is no thread, lock or name in a file system that a
killed process could leave behind, and the end of a process ends its socket.
"""

import collections
import contextlib
import io
import os
import pickle
import selectors
import socket
import struct
import threading
import weakref
from multiprocessing.reduction import ForkingPickler

import numpy as np

from ...._array.numpy import memory, shared
from ...._serial.untyped import UntypedStorage
from ...._tensor.tensor import Tensor
from ....multiprocessing.reductions import reduce_storage, reduce_tensor

HEADER = struct.Struct("=QQI?")  # bytes of the pickle, bytes that follow it, files, is the last one what was packed?
MANY, LONG = 200, 1 << 14  # the most files of a message (the system allows 253); what is too long for the socket
CAN_SEND_FILES = hasattr(socket, "send_fds")
_CLOSE_ON_EXEC = getattr(socket, "MSG_CMSG_CLOEXEC", 0)
_Selector = getattr(selectors, "PollSelector", selectors.SelectSelector)
_TOO_MANY = (
    "Too many open files. Communication with the workers is no longer possible. Please increase the limit using "
    "`ulimit -n` in the shell or change the sharing strategy by calling "
    "`torch.multiprocessing.set_sharing_strategy('file_system')` at the beginning of your code"
)


class Closed(Exception):
    """The other side is gone."""


class _Parts:
    """The bytes of storages and arrays of one message, kept apart from its pickle.

    The pickler knows this and not the other way round: a circle would keep each message's memory until Python looks for
    circles.
    """

    def __init__(self):
        self.files, self.blocks, self.size, self.buffers, self.has_storages = [], [], 0, [], False

    def pickled(self, data):
        """data's pickle."""
        out = io.BytesIO()
        pickler = ForkingPickler(out, 5, True, self._buffer)
        pickler.dispatch_table |= {UntypedStorage: self._storage, Tensor: self._tensor}
        pickler.dump(data)
        return out.getvalue()

    def _buffer(self, buffer):
        self.buffers.append(self.pack(buffer.raw()))

    def pack(self, data):
        """(place, size) of some bytes among those that are packed."""
        at = self.size + -self.size % 64
        self.blocks.append((at, data))
        self.size = at + data.nbytes
        return at, data.nbytes

    def _storage(self, storage):
        if storage.device.type != "cpu" or not storage.nbytes():
            return reduce_storage(storage)
        file = shared.file_of(storage._bytes) if CAN_SEND_FILES and len(self.files) < MANY else None
        if file is not None:
            self.files.append(file)
            return _of_file, (len(self.files) - 1, storage.nbytes())
        self.has_storages = True
        return _of_packed, self.pack(storage._bytes)

    def _tensor(self, t):
        if (
            t.device.type == "cpu"
            and t.numel()
            and not t._table.is_sparse
            and not (t.requires_grad or t.is_conj() or t.is_neg())
        ):
            reach = memory.extent(t._array.shape, t.stride(), 0, t.element_size())
            whole = t.untyped_storage()
            if whole.nbytes() > 2 * reach + LONG and shared.file_of(whole._bytes) is None:
                # A row of a large table: the row is sent, not the table.
                alone = UntypedStorage(reach)._tensor(t.dtype, 0, t._array.shape, t.stride())
                alone._array[...] = t._array
                return reduce_tensor(alone)
        return reduce_tensor(t)


_reading = threading.local()  # .files, .packed: what the message came with that this thread unpickles


def _of_packed(at, size):
    return UntypedStorage._over(_reading.packed[at : at + size])


def _of_file(i, size):
    data = shared.mapped(_reading.files[i].fd, size)
    shared.note(data, None)  # the file will be closed: a process has few descriptors, and may keep many batches
    return UntypedStorage._over(data)


def encoded(number, data):
    """(bytes for the socket, Files) of a message: some data, and the number of the task that it is about."""
    parts = _Parts()
    text = parts.pickled(data)
    if len(text) > LONG:
        text = parts.pack(memoryview(text))
    body = pickle.dumps((number, text, parts.buffers))
    files, in_file = parts.files, CAN_SEND_FILES and (parts.has_storages or parts.size > LONG)
    if in_file:
        packed, file = shared.new_memory(parts.size)
        files = [*files, file]
    else:
        packed = np.zeros(parts.size, np.uint8)
    for at, block in parts.blocks:
        packed[at : at + block.nbytes] = np.frombuffer(block, np.uint8)
    after = b"" if in_file else packed.tobytes()
    return HEADER.pack(len(body), len(after), len(files), in_file) + body + after, files


class Received:
    """A message that has come, of which the data are not unpickled yet."""

    def __init__(self, body, after, files, in_file, complete):
        self.number, self.text, self.buffers = pickle.loads(body)
        self.after, self.files, self.in_file, self.complete = after, files, in_file, complete

    def data(self):
        """The data, once."""
        if not self.complete:
            raise RuntimeError(_TOO_MANY)
        text, files, packed = self.text, self.files, np.frombuffer(bytearray(self.after), np.uint8)
        if self.in_file:
            packed = shared.mapped(files[-1].fd, os.fstat(files[-1].fd).st_size)
            shared.note(packed, None)
        if isinstance(text, tuple):
            text = memoryview(packed)[text[0] : text[0] + text[1]]
        before = vars(_reading).copy()
        _reading.files, _reading.packed = files, packed
        try:
            return pickle.loads(text, buffers=[packed[at : at + size] for at, size in self.buffers])
        finally:
            vars(_reading).clear()
            vars(_reading).update(before)


def wait(channels, pause):
    """{number of a channel among these: can it be read?} for those where something can be done, after waiting at most
    `pause` seconds; what was unsent is sent by the way."""
    with _Selector() as selector:
        for i, channel in enumerate(channels):
            if channel.sock.fileno() >= 0:
                unsent = selectors.EVENT_WRITE if channel.has_unsent else 0
                selector.register(channel.sock, selectors.EVENT_READ | unsent, i)
        ready = selector.select(pause)
    for key, events in ready:
        if events & selectors.EVENT_WRITE:
            channels[key.data].flush()
    return {key.data: bool(events & selectors.EVENT_READ) for key, events in ready}


class Channel:
    """One end of the pair of sockets."""

    def __init__(self, sock):
        self.sock, self._unsent = sock, collections.deque()

    def fileno(self):
        return self.sock.fileno()

    def post(self, number, data=None):
        """Send a message without ever waiting; what the socket does not take stays for `flush`."""
        data, files = encoded(number, data)
        self._unsent.append((memoryview(data), files))
        self.flush()

    @property
    def has_unsent(self):
        """Is anything left to flush?"""
        return bool(self._unsent)

    def flush(self):
        """Send what is unsent, as far as the socket takes it."""
        self.sock.setblocking(False)
        try:
            while self._unsent:
                data, files = self._unsent[0]
                self._unsent[0] = data[self._put(data, files) :], ()
                if not len(self._unsent[0][0]):
                    self._unsent.popleft()
        except BlockingIOError:
            pass
        except OSError:  # the other side is gone; whoever reads will see that
            self._unsent.clear()
        finally:
            self.sock.setblocking(True)

    def _put(self, data, files):
        if files:  # the descriptors travel with the first byte
            return socket.send_fds(self.sock, [data], [file.fd for file in files])
        return self.sock.send(data)

    def send(self, data, files):
        """Send what `encoded` made, waiting as long as it takes. Closed if nobody is there any more."""
        try:
            data = memoryview(data)
            while len(data):
                data, files = data[self._put(data, files) :], ()
        except ConnectionError:
            raise Closed from None

    def receive(self):
        """The next message, waiting for it -> Received. Closed when the other side is gone."""
        head, files, flags = bytearray(), [], 0
        try:
            while len(head) < HEADER.size:
                if CAN_SEND_FILES and not head:
                    part, fds, flags, _ = socket.recv_fds(self.sock, HEADER.size, MANY + 8, _CLOSE_ON_EXEC)
                    files = [shared.File(fd) for fd in fds]
                else:
                    part = self.sock.recv(HEADER.size - len(head))
                if not part:
                    raise Closed
                head += part
            body, after, _, in_file = HEADER.unpack(head)
            data = self._read(body + after)
        except ConnectionError:
            raise Closed from None
        lost = bool(flags and flags & socket.MSG_CTRUNC)  # there was no room for some descriptors
        return Received(data[:body], data[body:], files, in_file, complete=not lost)

    def _read(self, size):
        data = bytearray(size)
        view = memoryview(data)
        while len(view):
            n = self.sock.recv_into(view)
            if not n:
                raise Closed
            view = view[n:]
        return data

    def close(self):
        """End the conversation, even if a process that was forked meanwhile has a copy of the socket."""
        with contextlib.suppress(OSError):
            self.sock.shutdown(socket.SHUT_RDWR)
        self.sock.close()


_OWN_ENDS = weakref.WeakSet()  # the sockets that this process holds as a DataLoader


def pair():
    """(Channel of the DataLoader, socket for the worker)."""
    mine, other = socket.socketpair()
    _OWN_ENDS.add(mine)
    return Channel(mine), other


def close_inherited():
    """In a forked worker: close the DataLoaders' ends, or workers would not see the end of their DataLoader."""
    for sock in list(_OWN_ENDS):
        sock.close()
    _OWN_ENDS.clear()
