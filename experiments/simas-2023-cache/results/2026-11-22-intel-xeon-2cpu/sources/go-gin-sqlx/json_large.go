package main

import (
	"fmt"
	"net/http"

	"github.com/gin-gonic/gin"
)

type builtMovie struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	ReleaseDate string `json:"release_date"`
	Director    string `json:"director"`
	Description string `json:"description"`
	Duration    int    `json:"duration"`
	Budget      int    `json:"budget"`
	CreatedAt   string `json:"created_at"`
	UpdatedAt   string `json:"updated_at"`
}

// buildMovies answers GET /cache?objects=100|1000: movies built for every request.
func buildMovies(c *gin.Context) {
	var count int
	switch c.Query("objects") {
	case "100":
		count = 100
	case "1000":
		count = 1000
	default:
		c.JSON(http.StatusBadRequest, gin.H{"error": "objects is 100 or 1000"})
		return
	}
	movies := make([]builtMovie, count)
	for index := range movies {
		movies[index] = buildMovie(index)
	}
	c.JSON(http.StatusOK, movies)
}

func buildMovie(index int) builtMovie {
	return builtMovie{
		ID:          fmt.Sprintf("00000000-0000-4000-8000-%012x", index),
		Name:        "any-movie-name",
		ReleaseDate: "2023-08-24T00:00:00Z",
		Director:    "any-movie-director",
		Description: "any-movie-description",
		Duration:    1000,
		Budget:      10_000,
		CreatedAt:   "2023-08-24T12:00:00Z",
		UpdatedAt:   "2023-08-24T12:00:00Z",
	}
}
