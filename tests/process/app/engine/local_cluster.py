"""A cluster of real worker processes: prints its address, and ends with its standard input.

python local_cluster.py WORKERS
"""

import sys
from pathlib import Path

from distributed import LocalCluster

if __name__ == "__main__":
    preload = str(Path(__file__).with_name("preload.py"))
    with LocalCluster(
        n_workers=int(sys.argv[1]), threads_per_worker=1, dashboard_address=None, preload=preload
    ) as cluster:
        sys.stdout.write(f"{cluster.scheduler_address}\n")
        sys.stdout.flush()
        sys.stdin.read()
