-- The layout of the postal service's own directory: state, municipality, district, street.
CREATE TABLE estado (
    uf text PRIMARY KEY CHECK (uf ~ '^[A-Z]{2}$'),
    nome text NOT NULL
);

CREATE TABLE cidade (
    ibge text PRIMARY KEY CHECK (ibge ~ '^[0-9]{7}$'),
    nome text NOT NULL,
    uf text NOT NULL REFERENCES estado
);

CREATE TABLE bairro (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    ibge text NOT NULL REFERENCES cidade,
    nome text NOT NULL,
    UNIQUE (ibge, nome)
);

-- Where one CEP stands for a whole municipality, it has neither street nor district.
CREATE TABLE logradouro (
    cep text PRIMARY KEY CHECK (cep ~ '^[0-9]{8}$'),
    logradouro text,
    complemento text,
    ibge text NOT NULL REFERENCES cidade,
    id_bairro bigint REFERENCES bairro,
    created_at timestamptz NOT NULL DEFAULT now()
);
