package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"
	_ "github.com/lib/pq"
)

const findTable = "SELECT to_regclass('movies') IS NOT NULL"

// connect opens the connection pool and checks that it reaches the table. Connections are opened on demand.
func connect(ctx context.Context, settings settings) (*sqlx.DB, error) {
	db, err := sqlx.ConnectContext(ctx, "postgres", settings.databaseURL)
	if err != nil {
		return nil, fmt.Errorf("cannot reach the database of DATABASE_URL: %w", err)
	}
	db.SetMaxOpenConns(settings.poolSize)
	db.SetMaxIdleConns(settings.poolIdle)

	var found bool
	if err := db.GetContext(ctx, &found, findTable); err != nil {
		return nil, err
	}
	if !found {
		return nil, errors.New("the database of DATABASE_URL has no table movies")
	}
	return db, nil
}
