"""The tables, as SQLAlchemy maps them."""

from datetime import datetime
from typing import ClassVar
from uuid import UUID

from sqlalchemy import DateTime, ForeignKey
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship


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


class Estado(Base):
    __tablename__ = "estado"

    uf: Mapped[str] = mapped_column(primary_key=True)
    nome: Mapped[str]


class Cidade(Base):
    __tablename__ = "cidade"

    ibge: Mapped[str] = mapped_column(primary_key=True)
    nome: Mapped[str]
    uf: Mapped[str] = mapped_column(ForeignKey("estado.uf"))
    estado: Mapped[Estado] = relationship()


class Bairro(Base):
    __tablename__ = "bairro"

    id: Mapped[int] = mapped_column(primary_key=True)
    ibge: Mapped[str] = mapped_column(ForeignKey("cidade.ibge"))
    nome: Mapped[str]


class Logradouro(Base):
    __tablename__ = "logradouro"

    cep: Mapped[str] = mapped_column(primary_key=True)
    logradouro: Mapped[str | None]
    complemento: Mapped[str | None]
    ibge: Mapped[str] = mapped_column(ForeignKey("cidade.ibge"))
    id_bairro: Mapped[int | None] = mapped_column(ForeignKey("bairro.id"))
    cidade: Mapped[Cidade] = relationship()
    bairro: Mapped[Bairro | None] = relationship()
