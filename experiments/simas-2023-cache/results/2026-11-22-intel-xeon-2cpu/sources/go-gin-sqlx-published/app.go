package main

import (
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/jmoiron/sqlx"
)

// newApp mounts the routes; the one that needs a database only where there is one.
func newApp(db *sqlx.DB, logRequests bool) http.Handler {
	app := gin.New()
	app.Use(gin.Recovery())
	if logRequests {
		app.Use(gin.Logger())
	}

	app.GET("/health", health(db))
	app.GET("/cache", buildMovies)
	if db != nil {
		app.GET("/db", listMovies(db))
	}
	return app
}

func health(db *sqlx.DB) gin.HandlerFunc {
	return func(c *gin.Context) {
		if db != nil {
			if err := db.PingContext(c.Request.Context()); err != nil {
				c.AbortWithStatus(http.StatusServiceUnavailable)
				return
			}
		}
		c.Status(http.StatusOK)
	}
}
