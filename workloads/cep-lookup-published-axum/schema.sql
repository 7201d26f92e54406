CREATE TABLE estado (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    sigla text NOT NULL UNIQUE
);

CREATE TABLE cidade (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    nome text NOT NULL,
    id_estado bigint NOT NULL REFERENCES estado,
    UNIQUE (id_estado, nome)
);

CREATE TABLE bairro (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    nome text NOT NULL,
    id_cidade bigint NOT NULL REFERENCES cidade,
    UNIQUE (id_cidade, nome)
);

-- Where one CEP stands for a whole municipality, it has neither street nor district.
CREATE TABLE logradouro (
    cep text PRIMARY KEY,
    logradouro text,
    id_cidade bigint NOT NULL REFERENCES cidade,
    id_bairro bigint REFERENCES bairro,
    created_at timestamptz NOT NULL DEFAULT now()
);
