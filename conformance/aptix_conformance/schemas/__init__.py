"""Schemas as data: their canonical form, their fingerprint, and the locks that show when they change."""

from aptix_conformance.schemas.canonical import canonical, fingerprint, fingerprint_of_text
from aptix_conformance.schemas.lock import LockRecord, lock_record, lock_text, read_lock
from aptix_conformance.schemas.locking import LockResult, check_lock, unused_locks

__all__ = [
    "LockRecord",
    "LockResult",
    "canonical",
    "check_lock",
    "fingerprint",
    "fingerprint_of_text",
    "lock_record",
    "lock_text",
    "read_lock",
    "unused_locks",
]
