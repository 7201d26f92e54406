"""Prints a feed: 5,000 request targets, the same every time.

Run: python3 feed.py > feed.txt

All are found in the database: each of the 2,000 users is as likely as any other.
"""

import hashlib
import random
import uuid

LINES = 5_000
USERS = 2_000

draw = random.Random(1)
for _ in range(LINES):
    name = f"bancada-user-{draw.randint(1, USERS)}"
    print(f"/users/{uuid.UUID(hashlib.md5(name.encode()).hexdigest())}")
