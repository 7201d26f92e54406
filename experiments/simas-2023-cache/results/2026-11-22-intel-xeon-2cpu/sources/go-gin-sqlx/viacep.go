package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"
)

const (
	connectLimit = time.Second
	// callLimit is for a whole call, waiting for its turn included.
	callLimit   = 3 * time.Second
	callsAtOnce = 32
)

// viaCEP is the client of ViaCEP, one for the process.
type viaCEP struct {
	client *http.Client
	url    string
}

// viaCEPRecord is what ViaCEP has of a CEP. A field that an answer lacks is nil, one that is empty is not.
type viaCEPRecord struct {
	CEP         *string `json:"cep"`
	Logradouro  *string `json:"logradouro"`
	Complemento *string `json:"complemento"`
	Bairro      *string `json:"bairro"`
	Localidade  *string `json:"localidade"`
	UF          *string `json:"uf"`
	Estado      *string `json:"estado"`
	IBGE        *string `json:"ibge"`
	Erro        any     `json:"erro"`
}

func newViaCEP(url string) *viaCEP {
	dialer := &net.Dialer{Timeout: connectLimit}
	return &viaCEP{
		url: strings.TrimRight(url, "/"),
		client: &http.Client{
			Timeout: callLimit,
			Transport: &http.Transport{
				DialContext:         dialer.DialContext,
				MaxConnsPerHost:     callsAtOnce,
				MaxIdleConnsPerHost: callsAtOnce,
				IdleConnTimeout:     time.Minute,
				ForceAttemptHTTP2:   true,
			},
		},
	}
}

// address asks for eight digits; nil says that ViaCEP has nothing. All else is an error, never nil.
func (v *viaCEP) address(ctx context.Context, cep string) (*address, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, v.url+"/ws/"+cep+"/json/", nil)
	if err != nil {
		return nil, err
	}
	response, err := v.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %s", response.Status)
	}
	var record viaCEPRecord
	if err := json.NewDecoder(response.Body).Decode(&record); err != nil {
		return nil, err
	}
	// Documented as true; since 2022 it has been "true".
	if record.Erro == true || record.Erro == "true" {
		return nil, nil
	}
	for _, field := range []*string{
		record.CEP, record.Logradouro, record.Complemento, record.Bairro,
		record.Localidade, record.UF, record.Estado, record.IBGE,
	} {
		if field == nil {
			return nil, errors.New("its answer is not an address")
		}
	}
	if strings.Replace(*record.CEP, "-", "", 1) != cep {
		return nil, fmt.Errorf("asked for %s, answered %s", cep, *record.CEP)
	}
	return &address{
		CEP:         *record.CEP,
		Logradouro:  given(record.Logradouro),
		Complemento: given(record.Complemento),
		Bairro:      given(record.Bairro),
		Cidade:      *record.Localidade,
		UF:          *record.UF,
		Estado:      *record.Estado,
		IBGE:        *record.IBGE,
		Provider:    "viacep",
	}, nil
}

// given is nil for an empty text: ViaCEP has no null.
func given(text *string) *string {
	if *text == "" {
		return nil
	}
	return text
}
