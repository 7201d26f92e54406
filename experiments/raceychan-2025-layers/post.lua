-- The article posts one user from a script of its own; the text is the one it shows.
wrk.method = "POST"
wrk.body = '{"id": 1, "name": "user", "email": "user@email.com"}'
wrk.headers["Content-Type"] = "application/json"
