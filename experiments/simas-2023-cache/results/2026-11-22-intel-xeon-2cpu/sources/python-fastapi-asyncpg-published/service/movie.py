"""A movie, as both routes answer it."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass
class Movie:
    id: UUID
    name: str
    release_date: datetime
    director: str
    description: str
    duration: int
    budget: int
    created_at: datetime
    updated_at: datetime
