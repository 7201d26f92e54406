package main

import (
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
)

const selectMovies = `
	SELECT id, name, release_date, director, description, duration, budget, created_at, updated_at
	FROM movies ORDER BY id LIMIT 20`

type listedMovie struct {
	ID          uuid.UUID `db:"id" json:"id"`
	Name        string    `db:"name" json:"name"`
	ReleaseDate time.Time `db:"release_date" json:"release_date"`
	Director    string    `db:"director" json:"director"`
	Description string    `db:"description" json:"description"`
	Duration    int64     `db:"duration" json:"duration"`
	Budget      int64     `db:"budget" json:"budget"`
	CreatedAt   time.Time `db:"created_at" json:"created_at"`
	UpdatedAt   time.Time `db:"updated_at" json:"updated_at"`
}

// listMovies answers GET /db: the first twenty movies by id.
func listMovies(db *sqlx.DB) gin.HandlerFunc {
	return func(c *gin.Context) {
		movies := []listedMovie{}
		if err := db.SelectContext(c.Request.Context(), &movies, selectMovies); err != nil {
			c.AbortWithError(http.StatusInternalServerError, err)
			return
		}
		c.JSON(http.StatusOK, movies)
	}
}
