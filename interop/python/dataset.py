"""The records that every client writes, and the digest by which they are compared (see ../README.md)."""
import argparse
import hashlib
import time


def arguments():
    """The command line that all client programs share."""
    p = argparse.ArgumentParser()
    p.add_argument("action", choices=["produce", "consume", "member", "offsets", "admin", "transact"])
    p.add_argument("--bootstrap", required=True)
    p.add_argument("--topic", required=True)
    p.add_argument("--codec", default="none")
    p.add_argument("--count", type=int, default=0)
    p.add_argument("--base-ms", type=int, default=0)
    p.add_argument("--group", default="")
    p.add_argument("--protocol", default="classic")
    p.add_argument("--times", type=lambda text: [int(t) for t in text.split(",")], default=[])
    p.add_argument("--transactional-id", default="")
    return p.parse_args()


def record(i, base_ms):
    """(timestamp, key, value, headers) of record i."""
    key = None if i % 11 == 5 else b"key-%d" % (i % 1000)
    value = None if i % 7 == 3 and key is not None else b"value-%d-" % i + b"x" * (i % 64)
    headers = [("seq", b"%d" % i), ("dup", b"a"), ("dup", b"b"), ("empty", b""), ("none", None)]
    return base_ms + i, key, value, headers


def settle():
    """Gives the broker time to see what the controller has done: Apache Kafka answers before that."""
    time.sleep(0.5)


class Digest:
    """Collects records in the order in which they arrive."""

    def __init__(self):
        self.count = 0
        self.sha = hashlib.sha256()

    def add(self, offset, timestamp, key, value, headers):
        tail = ";".join(f"{name}={text(v)}" for name, v in headers or [])
        self.sha.update(f"{offset}|{timestamp}|{text(key)}|{text(value)}|{tail}\n".encode())
        self.count += 1

    def line(self):
        return f"count={self.count} sha256={self.sha.hexdigest()}"


class Outcomes:
    """Counts what a read_committed reader got of the two transactions."""

    def __init__(self):
        self.committed = 0
        self.aborted = 0

    def add(self, value):
        if value.startswith(b"committed-"):
            self.committed += 1
        else:
            self.aborted += 1

    def line(self):
        return f"committed={self.committed} aborted={self.aborted}"


def text(data):
    return "-" if data is None else bytes(data).hex()
