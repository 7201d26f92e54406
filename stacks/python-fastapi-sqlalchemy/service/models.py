"""The tables, as SQLAlchemy maps them."""

from datetime import datetime
from typing import ClassVar
from uuid import UUID

from sqlalchemy import DateTime
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Base(DeclarativeBase):
    type_annotation_map: ClassVar = {datetime: DateTime(timezone=True)}


class User(Base):
    __tablename__ = "user"

    user_id: Mapped[str] = mapped_column(primary_key=True)
    username: Mapped[str]
    email: Mapped[str]


class Movie(Base):
    __tablename__ = "movies"

    id: Mapped[UUID] = mapped_column(primary_key=True)
    name: Mapped[str]
    release_date: Mapped[datetime]
    director: Mapped[str]
    description: Mapped[str]
    duration: Mapped[int]
    budget: Mapped[int]
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]
