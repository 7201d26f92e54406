package main

import (
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/jmoiron/sqlx"
)

// newApp mounts the routes; those that need a database only where there is one.
func newApp(db *sqlx.DB, viaCEPURL string, logRequests bool) http.Handler {
	gin.SetMode(gin.ReleaseMode)
	app := gin.New()
	app.HandleMethodNotAllowed = true
	// A path with another slash at its end is another path.
	app.RedirectTrailingSlash = false
	app.Use(gin.Recovery())
	if logRequests {
		app.Use(gin.Logger())
	}

	app.GET("/health", health(db))
	app.GET("/hello", hello)
	app.GET("/async", wait)
	app.GET("/fibonacci", answerFibonacci)
	app.GET("/cache", buildMovies)
	app.POST("/user", echoUser)
	if db != nil {
		app.GET("/select-one", selectOne(db))
		app.GET("/users/:user_id", findUser(db))
		app.GET("/users", listUsers(db))
		app.GET("/db", listMovies(db))
	}
	if db != nil && viaCEPURL != "" {
		app.GET("/api/v1/cep/:cep", newLookup(db, viaCEPURL).answer)
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
