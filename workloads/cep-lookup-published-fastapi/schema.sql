-- What ViaCEP answers, as it answers it, but for the hyphen.
CREATE TABLE ceps (
    cep text PRIMARY KEY,
    logradouro text NOT NULL,
    complemento text NOT NULL,
    bairro text NOT NULL,
    localidade text NOT NULL,
    uf text NOT NULL,
    ibge text NOT NULL,
    gia text NOT NULL,
    ddd text NOT NULL,
    siafi text NOT NULL
);
