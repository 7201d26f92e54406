package main

import (
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/jmoiron/sqlx"
)

const selectMovies = "SELECT * FROM movies LIMIT 20"

// listMovies answers GET /db: twenty movies in no stated order.
func listMovies(db *sqlx.DB) gin.HandlerFunc {
	return func(c *gin.Context) {
		var movies []movie
		if err := db.Select(&movies, selectMovies); err != nil {
			c.AbortWithError(http.StatusInternalServerError, err)
			return
		}
		c.JSON(http.StatusOK, movies)
	}
}
