package main

import (
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/jmoiron/sqlx"
)

type selectedOne struct {
	Value int32 `db:"value" json:"value"`
}

// selectOne answers GET /select-one: the value of a query that reads no table.
func selectOne(db *sqlx.DB) gin.HandlerFunc {
	return func(c *gin.Context) {
		var one selectedOne
		if err := db.GetContext(c.Request.Context(), &one, "SELECT 1 AS value"); err != nil {
			c.AbortWithError(http.StatusInternalServerError, err)
			return
		}
		c.JSON(http.StatusOK, one)
	}
}
