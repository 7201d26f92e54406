package main

import (
	"context"
	"database/sql"
	"errors"
	"log"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/hashicorp/golang-lru/v2/expirable"
	"github.com/jmoiron/sqlx"
	"golang.org/x/sync/singleflight"
)

const selectAddress = `
	SELECT left(l.cep, 5) || '-' || right(l.cep, 3) AS cep, l.logradouro, l.complemento,
	       b.nome AS bairro, c.nome AS cidade, e.uf, e.nome AS estado, c.ibge, 'database' AS provider
	FROM logradouro AS l
	JOIN cidade AS c ON c.ibge = l.ibge
	JOIN estado AS e ON e.uf = c.uf
	LEFT JOIN bairro AS b ON b.id = l.id_bairro
	WHERE l.cep = $1`

// The update of a district that is there changes nothing: it makes the statement return its id.
const insertAddress = `
	WITH new_cidade AS (
	    INSERT INTO cidade (ibge, nome, uf) VALUES ($5, $6, $7) ON CONFLICT (ibge) DO NOTHING
	), new_bairro AS (
	    INSERT INTO bairro (ibge, nome) SELECT $5, $4::text WHERE $4::text IS NOT NULL
	    ON CONFLICT (ibge, nome) DO UPDATE SET nome = excluded.nome RETURNING id
	)
	INSERT INTO logradouro (cep, logradouro, complemento, ibge, id_bairro)
	VALUES ($1, $2, $3, $5, (SELECT id FROM new_bairro))
	ON CONFLICT (cep) DO NOTHING`

const (
	// remembered is how long an answer of ViaCEP is: that there is none, and one that could not be stored.
	remembered      = time.Minute
	rememberedCount = 10_000
	// storeLimit is the longest wait for an address to be stored.
	storeLimit = time.Second
	// retryAfterS is when a client may try again.
	retryAfterS = "5"
)

var cepPattern = regexp.MustCompile(`^[0-9]{5}-?[0-9]{3}$`)

type address struct {
	CEP         string  `db:"cep" json:"cep"`
	Logradouro  *string `db:"logradouro" json:"logradouro"`
	Complemento *string `db:"complemento" json:"complemento"`
	Bairro      *string `db:"bairro" json:"bairro"`
	Cidade      string  `db:"cidade" json:"cidade"`
	UF          string  `db:"uf" json:"uf"`
	Estado      string  `db:"estado" json:"estado"`
	IBGE        string  `db:"ibge" json:"ibge"`
	Provider    string  `db:"provider" json:"provider"`
}

// lookup finds addresses in the database, or else with ViaCEP.
type lookup struct {
	db     *sqlx.DB
	viaCEP *viaCEP
	calls  singleflight.Group
	// recent holds nil for a CEP that ViaCEP does not have.
	recent *expirable.LRU[string, *address]
}

func newLookup(db *sqlx.DB, viaCEPURL string) *lookup {
	return &lookup{
		db:     db,
		viaCEP: newViaCEP(viaCEPURL),
		recent: expirable.NewLRU[string, *address](rememberedCount, nil, remembered),
	}
}

// answer answers GET /api/v1/cep/:cep.
func (l *lookup) answer(c *gin.Context) {
	if !cepPattern.MatchString(c.Param("cep")) {
		c.JSON(http.StatusBadRequest, gin.H{"error": "a CEP has eight digits, as 01001000 or 01001-000"})
		return
	}
	cep := strings.Replace(c.Param("cep"), "-", "", 1)
	found := &address{}
	err := l.db.GetContext(c.Request.Context(), found, selectAddress, cep)
	if errors.Is(err, sql.ErrNoRows) {
		if found, err = l.ask(cep); err != nil {
			c.Header("Retry-After", retryAfterS)
			c.JSON(http.StatusServiceUnavailable, gin.H{"error": "ViaCEP failed"})
			return
		}
	}
	switch {
	case err != nil:
		c.AbortWithError(http.StatusInternalServerError, err)
	case found == nil:
		c.JSON(http.StatusNotFound, gin.H{"error": "no such CEP"})
	default:
		c.JSON(http.StatusOK, found)
	}
}

// ask asks ViaCEP once however many ask for the same CEP. Whoever goes away does not stop it for the others.
func (l *lookup) ask(cep string) (*address, error) {
	found, err, _ := l.calls.Do(cep, func() (any, error) {
		if found, known := l.recent.Get(cep); known {
			return found, nil
		}
		ctx := context.Background()
		found, err := l.viaCEP.address(ctx, cep)
		if err != nil {
			log.Printf("ViaCEP: %v", err)
			return found, err
		}
		if found != nil {
			l.store(ctx, cep, found)
		}
		l.recent.Add(cep, found)
		return found, nil
	})
	return found.(*address), err
}

// store stores an address for the next request. It is answered all the same when that fails.
func (l *lookup) store(ctx context.Context, cep string, a *address) {
	ctx, cancel := context.WithTimeout(ctx, storeLimit)
	defer cancel()
	_, err := l.db.ExecContext(
		ctx, insertAddress, cep, a.Logradouro, a.Complemento, a.Bairro, a.IBGE, a.Cidade, a.UF,
	)
	if err != nil {
		log.Printf("%s is not stored: %v", cep, err)
	}
}
