"""Schemas as data: their canonical form, their fingerprint, and the locks that show when they change."""

from aptix_conformance.core.schemas.canonical import canonical, fingerprint, fingerprint_of_text, parse_schema
from aptix_conformance.core.schemas.lock import LockRecord, lock_record, lock_text, read_lock, result_shape
from aptix_conformance.core.schemas.locking import (
    LockResult,
    check_lock,
    left_behind,
    shape_to_lock,
    unused_locks,
)
from aptix_conformance.core.schemas.shapes import Shape

__all__ = [
    "LockRecord",
    "LockResult",
    "Shape",
    "canonical",
    "check_lock",
    "fingerprint",
    "fingerprint_of_text",
    "left_behind",
    "lock_record",
    "lock_text",
    "parse_schema",
    "read_lock",
    "result_shape",
    "shape_to_lock",
    "unused_locks",
]
