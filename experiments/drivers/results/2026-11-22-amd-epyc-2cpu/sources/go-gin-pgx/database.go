package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"
)

const findTables = `SELECT coalesce(to_regclass('"user"'), to_regclass('movies'), to_regclass('logradouro')) IS NOT NULL`

// connect opens the connection pool and checks that it reaches the tables that are served.
func connect(ctx context.Context, settings settings) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(settings.databaseURL)
	if err != nil {
		return nil, fmt.Errorf("DATABASE_URL: %w", err)
	}
	config.MaxConns = int32(settings.poolSize)
	db, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}

	var found bool
	if err := db.QueryRow(ctx, findTables).Scan(&found); err != nil {
		return nil, fmt.Errorf("cannot reach the database of DATABASE_URL: %w", err)
	}
	if !found {
		return nil, errors.New("the database of DATABASE_URL has no table that this service reads")
	}
	return db, openIdle(ctx, db, min(settings.poolIdle, settings.poolSize))
}

// openIdle holds count connections at once: the pool opens them on demand only, and closes none that is in use again
// within half an hour.
func openIdle(ctx context.Context, db *pgxpool.Pool, count int) error {
	for range count {
		conn, err := db.Acquire(ctx)
		if err != nil {
			return err
		}
		defer conn.Release()
	}
	return nil
}
