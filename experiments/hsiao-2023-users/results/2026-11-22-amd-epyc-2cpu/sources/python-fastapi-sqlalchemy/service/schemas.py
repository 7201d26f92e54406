"""The answers, as Pydantic serialises them."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel


class One(BaseModel):
    value: int


class User(BaseModel):
    user_id: str
    username: str
    email: str


class Movie(BaseModel):
    id: UUID
    name: str
    release_date: datetime
    director: str
    description: str
    duration: int
    budget: int
    created_at: datetime
    updated_at: datetime


class Address(BaseModel):
    cep: str
    logradouro: str | None
    complemento: str | None
    bairro: str | None
    cidade: str
    uf: str
    estado: str
    ibge: str
    provider: Literal["database", "viacep"]
