"""A movie, as both routes answer it."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass
class Movie:
    # psycopg2 gives a UUID as text.
    id: UUID | str
    name: str
    release_date: datetime
    director: str
    description: str
    duration: int
    budget: int
    created_at: datetime
    updated_at: datetime
