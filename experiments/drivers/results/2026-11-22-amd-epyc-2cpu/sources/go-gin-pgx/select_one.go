package main

import (
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

type selectedOne struct {
	Value int32 `db:"value" json:"value"`
}

// selectOne answers GET /select-one: the value of a query that reads no table.
func selectOne(db *pgxpool.Pool) gin.HandlerFunc {
	return func(c *gin.Context) {
		// An error of the query is the rows' too.
		rows, _ := db.Query(c.Request.Context(), "SELECT 1 AS value")
		one, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[selectedOne])
		if err != nil {
			c.AbortWithError(http.StatusInternalServerError, err)
			return
		}
		c.JSON(http.StatusOK, one)
	}
}
