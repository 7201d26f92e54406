package main

import (
	"encoding/binary"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
)

// buildMovies answers GET /cache: 1,000 movies built for every request, or ?objects=100.
func buildMovies(c *gin.Context) {
	var count int
	switch c.DefaultQuery("objects", "1000") {
	case "100":
		count = 100
	case "1000":
		count = 1000
	default:
		c.JSON(http.StatusBadRequest, gin.H{"error": "objects is 100 or 1000"})
		return
	}
	// Its length is not given in advance: the slice grows, as the published one did.
	var movies []movie
	for index := range count {
		movies = append(movies, buildMovie(index))
	}
	c.JSON(http.StatusOK, movies)
}

func buildMovie(index int) movie {
	return movie{
		ID:          movieID(index),
		Name:        "any-movie-name",
		ReleaseDate: time.Date(2023, time.August, 24, 0, 0, 0, 0, time.UTC),
		Director:    "any-movie-director",
		Description: "any-movie-description",
		Duration:    1000,
		Budget:      10_000,
		CreatedAt:   time.Date(2023, time.August, 24, 12, 0, 0, 0, time.UTC),
		UpdatedAt:   time.Date(2023, time.August, 24, 12, 0, 0, 0, time.UTC),
	}
}

// movieID is a version 4 UUID with the index where a random one has its last digits.
func movieID(index int) uuid.UUID {
	id := uuid.UUID{6: 0x40, 8: 0x80}
	binary.BigEndian.PutUint32(id[12:], uint32(index))
	return id
}
