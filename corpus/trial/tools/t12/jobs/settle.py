import sys
import time

time.sleep(int(sys.argv[1]))
print("settled")
