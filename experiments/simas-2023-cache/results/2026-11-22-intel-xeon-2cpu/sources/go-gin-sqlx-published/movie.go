package main

import (
	"time"

	"github.com/google/uuid"
)

// movie is one as both routes answer it.
type movie struct {
	ID          uuid.UUID `db:"id" json:"id"`
	Name        string    `db:"name" json:"name"`
	ReleaseDate time.Time `db:"release_date" json:"release_date"`
	Director    string    `db:"director" json:"director"`
	Description string    `db:"description" json:"description"`
	Duration    uint      `db:"duration" json:"duration"`
	Budget      uint      `db:"budget" json:"budget"`
	CreatedAt   time.Time `db:"created_at" json:"created_at"`
	UpdatedAt   time.Time `db:"updated_at" json:"updated_at"`
}
