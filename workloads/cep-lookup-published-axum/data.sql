-- The 100,000 addresses of the workload cep-lookup, by the same rule, in the layout of the article's Axum service.

INSERT INTO estado (sigla) VALUES
    ('AC'),
    ('AL'),
    ('AM'),
    ('AP'),
    ('BA'),
    ('CE'),
    ('DF'),
    ('ES'),
    ('GO'),
    ('MA'),
    ('MG'),
    ('MS'),
    ('MT'),
    ('PA'),
    ('PB'),
    ('PE'),
    ('PI'),
    ('PR'),
    ('RJ'),
    ('RN'),
    ('RO'),
    ('RR'),
    ('RS'),
    ('SC'),
    ('SE'),
    ('SP'),
    ('TO');

CREATE TEMPORARY TABLE place (
    uf text NOT NULL,
    nome text NOT NULL,
    first_sector int NOT NULL,
    sectors int NOT NULL,
    -- Without a CEP for every street, one CEP stands for the whole place or a district of it.
    by_street boolean NOT NULL
);

INSERT INTO place (uf, nome, first_sector, sectors, by_street) VALUES
    ('SP', 'São Paulo',  1001, 24, true),
    ('SP', 'Osasco',  6000,  2, true),
    ('SP', 'Guarulhos',  7000,  2, true),
    ('SP', 'Santo André',  9000,  2, true),
    ('SP', 'São Bernardo do Campo',  9600,  2, true),
    ('RJ', 'Rio de Janeiro', 20000, 18, true),
    ('RJ', 'Niterói', 24000,  2, true),
    ('RJ', 'São Gonçalo', 24400,  2, true),
    ('RJ', 'Duque de Caxias', 25000,  2, true),
    ('RJ', 'Campos dos Goytacazes', 28000,  2, true),
    ('ES', 'Vitória', 29000,  6, true),
    ('ES', 'Vila Velha', 29100,  2, true),
    ('ES', 'Serra', 29160,  2, true),
    ('ES', 'Guarapari', 29200,  2, true),
    ('ES', 'Cachoeiro de Itapemirim', 29300,  2, true),
    ('MG', 'Belo Horizonte', 30000,  6, true),
    ('MG', 'Contagem', 32000,  2, true),
    ('MG', 'Santa Luzia', 33000,  2, true),
    ('MG', 'Ribeirão das Neves', 33800,  2, true),
    ('MG', 'Sabará', 34500,  2, true),
    ('BA', 'Salvador', 40000,  6, true),
    ('BA', 'Lauro de Freitas', 42700,  2, true),
    ('BA', 'Feira de Santana', 44000,  2, true),
    ('BA', 'Vitória da Conquista', 45000,  2, true),
    ('BA', 'Alagoinhas', 48000,  2, true),
    ('SE', 'Aracaju', 49000,  6, true),
    ('SE', 'Boquim', 49360,  2, false),
    ('SE', 'Lagarto', 49400,  2, false),
    ('SE', 'Itabaiana', 49500,  2, true),
    ('SE', 'Capela', 49700,  2, false),
    ('PE', 'Recife', 50000,  6, true),
    ('PE', 'Olinda', 53000,  2, true),
    ('PE', 'Abreu e Lima', 53500,  2, true),
    ('PE', 'Jaboatão dos Guararapes', 54000,  2, true),
    ('PE', 'Caruaru', 55000,  2, true),
    ('AL', 'Maceió', 57000,  6, true),
    ('AL', 'São Miguel dos Campos', 57240,  2, true),
    ('AL', 'Teotônio Vilela', 57265,  2, true),
    ('AL', 'Arapiraca', 57300,  2, true),
    ('AL', 'Palmeira dos Índios', 57600,  2, true),
    ('PB', 'João Pessoa', 58000,  6, true),
    ('PB', 'Cabedelo', 58100,  2, true),
    ('PB', 'Campina Grande', 58400,  2, true),
    ('PB', 'Patos', 58700,  2, true),
    ('PB', 'Sousa', 58800,  2, true),
    ('RN', 'Natal', 59000,  6, true),
    ('RN', 'Parnamirim', 59140,  2, true),
    ('RN', 'Macaíba', 59280,  2, true),
    ('RN', 'São Gonçalo do Amarante', 59290,  2, true),
    ('RN', 'Mossoró', 59600,  2, true),
    ('CE', 'Fortaleza', 60000,  6, true),
    ('CE', 'Caucaia', 61600,  2, true),
    ('CE', 'Pacatuba', 61800,  2, true),
    ('CE', 'Sobral', 62000,  2, true),
    ('CE', 'Juazeiro do Norte', 63000,  2, true),
    ('PI', 'Teresina', 64000,  6, true),
    ('PI', 'Parnaíba', 64200,  2, true),
    ('PI', 'Picos', 64600,  2, true),
    ('PI', 'Floriano', 64800,  2, true),
    ('PI', 'Santa Filomena', 64945,  2, false),
    ('MA', 'São Luís', 65000,  6, true),
    ('MA', 'Santa Inês', 65300,  2, true),
    ('MA', 'Caxias', 65600,  2, true),
    ('MA', 'Timon', 65630,  2, true),
    ('MA', 'Imperatriz', 65900,  2, true),
    ('PA', 'Belém', 66000,  6, true),
    ('PA', 'Ananindeua', 67000,  2, true),
    ('PA', 'Santarém', 68000,  2, true),
    ('PA', 'Itaituba', 68180,  2, true),
    ('PA', 'Marabá', 68500,  2, true),
    ('AP', 'Macapá', 68900,  6, true),
    ('AP', 'Santana', 68925,  2, true),
    ('AP', 'Amapá', 68950,  2, false),
    ('AP', 'Calçoene', 68960,  2, false),
    ('AP', 'Oiapoque', 68980,  2, false),
    ('AM', 'Manaus', 69000,  6, true),
    ('AM', 'Itacoatiara', 69100,  2, true),
    ('AM', 'Parintins', 69150,  2, true),
    ('RR', 'Boa Vista', 69300,  6, true),
    ('RR', 'Alto Alegre', 69350,  2, false),
    ('RR', 'Caracaraí', 69360,  2, false),
    ('RR', 'Bonfim', 69380,  2, false),
    ('RR', 'Cantá', 69390,  2, false),
    ('AM', 'Manacapuru', 69400,  2, true),
    ('AM', 'Tefé', 69550,  2, true),
    ('AC', 'Rio Branco', 69900,  6, true),
    ('AC', 'Assis Brasil', 69935,  2, false),
    ('AC', 'Acrelândia', 69945,  2, false),
    ('AC', 'Feijó', 69960,  2, false),
    ('AC', 'Mâncio Lima', 69990,  2, false),
    ('DF', 'Brasília', 70000,  6, true),
    ('GO', 'Luziânia', 72800,  2, true),
    ('GO', 'Goiânia', 74000,  6, true),
    ('GO', 'Aparecida de Goiânia', 74900,  2, true),
    ('GO', 'Anápolis', 75000,  2, true),
    ('GO', 'Itumbiara', 75500,  2, true),
    ('RO', 'Porto Velho', 76800,  6, true),
    ('RO', 'Ariquemes', 76870,  2, true),
    ('RO', 'Ji-Paraná', 76900,  2, true),
    ('RO', 'Cacoal', 76960,  2, true),
    ('RO', 'Vilhena', 76980,  2, true),
    ('TO', 'Palmas', 77000,  6, true),
    ('TO', 'Arraias', 77330,  2, false),
    ('TO', 'Gurupi', 77400,  2, true),
    ('TO', 'Porto Nacional', 77500,  2, false),
    ('TO', 'Araguaína', 77800,  2, true),
    ('MT', 'Cuiabá', 78000,  6, true),
    ('MT', 'Várzea Grande', 78110,  2, true),
    ('MT', 'Cáceres', 78200,  2, true),
    ('MT', 'Sinop', 78548,  2, true),
    ('MT', 'Rondonópolis', 78700,  2, true),
    ('MS', 'Campo Grande', 79000,  6, true),
    ('MS', 'Corumbá', 79300,  2, true),
    ('MS', 'Três Lagoas', 79600,  2, true),
    ('MS', 'Dourados', 79800,  2, true),
    ('MS', 'Ponta Porã', 79900,  2, true),
    ('PR', 'Curitiba', 80000,  6, true),
    ('PR', 'São José dos Pinhais', 83000,  2, true),
    ('PR', 'Ponta Grossa', 84000,  2, true),
    ('PR', 'Guarapuava', 85000,  2, true),
    ('PR', 'Londrina', 86000,  2, true),
    ('SC', 'Florianópolis', 88000,  6, true),
    ('SC', 'Lages', 88500,  2, true),
    ('SC', 'Blumenau', 89000,  2, true),
    ('SC', 'Joinville', 89200,  2, true),
    ('SC', 'Mafra', 89300,  2, true),
    ('RS', 'Porto Alegre', 90000,  6, true),
    ('RS', 'Canoas', 92000,  2, true),
    ('RS', 'Novo Hamburgo', 93300,  2, true),
    ('RS', 'Gravataí', 94000,  2, true),
    ('RS', 'Viamão', 94400,  2, true);

INSERT INTO cidade (nome, id_estado)
SELECT place.nome, estado.id FROM place JOIN estado ON estado.sigla = place.uf ORDER BY first_sector;

CREATE TEMPORARY TABLE endereco AS
SELECT
    lpad(sector::text, 5, '0') || lpad(suffix::text, 3, '0') AS cep,
    uf,
    nome AS cidade,
    CASE WHEN NOT is_whole THEN
        (ARRAY['Rua', 'Rua', 'Rua', 'Rua', 'Avenida', 'Travessa', 'Praça', 'Alameda'])[1 + mixed % 8]
        || ' ' ||
        (ARRAY[
        'das Acácias', 'dos Andradas', 'Antônio Prado', 'da Aurora', 'Barão do Rio Branco',
        'Benjamin Constant', 'do Bosque', 'Castro Alves', 'Cecília Meireles', 'do Comércio',
        'Coronel Oliveira', 'Dom Pedro II', 'Duque de Caxias', 'das Flores', 'Floriano Peixoto', 'da Fonte',
        'Getúlio Vargas', 'Gonçalves Dias', 'da Independência', 'dos Ipês', 'José Bonifácio',
        'Joaquim Nabuco', 'das Laranjeiras', 'da Liberdade', 'Machado de Assis', 'Marechal Deodoro',
        'Maria Quitéria', 'das Mangueiras', 'da Matriz', 'do Mercado', 'Monteiro Lobato',
        'Nossa Senhora Aparecida', 'das Palmeiras', 'dos Pinheiros', 'da Praia', 'Princesa Isabel',
        'Quinze de Novembro', 'da República', 'Rui Barbosa', 'Santos Dumont', 'São João', 'São José',
        'Sete de Setembro', 'Tiradentes', 'das Tulipas', 'Vinte e Um de Abril', 'Visconde de Mauá',
        'da Caixa d''Água'
        ])[1 + mixed / 8 % 48]
    END AS logradouro,
    CASE WHEN NOT is_whole THEN
        (ARRAY[
        'Centro', 'Aeroporto', 'Alto da Glória', 'Bela Vista', 'Boa Esperança', 'Boa Vista', 'Bom Jesus',
        'Cidade Nova', 'Cruzeiro', 'Distrito Industrial', 'Floresta', 'Industrial', 'Ipiranga',
        'Jardim América', 'Jardim das Oliveiras', 'Jardim Europa', 'Jardim Primavera', 'Liberdade',
        'Nossa Senhora de Fátima', 'Nova Esperança', 'Novo Horizonte', 'Parque das Nações', 'Planalto',
        'Ponte Nova', 'Porto', 'Santa Cruz', 'Santa Luzia', 'Santa Rita', 'Santo Antônio', 'São Cristóvão',
        'São Francisco', 'São João', 'São José', 'São Pedro', 'São Sebastião', 'Setor Sul', 'Universitário',
        'Vila Nova', 'Vila Operária', 'Vila Rica'
        ])[1 + (sector * 31 + suffix / 25) % 40]
    END AS bairro
FROM place
CROSS JOIN LATERAL generate_series(first_sector, first_sector + sectors - 1) AS sector
CROSS JOIN generate_series(0, 249) AS suffix
CROSS JOIN LATERAL (
    SELECT
        (sector * 7919 + suffix * 104729) % 1000003 AS mixed,
        NOT by_street AND suffix % 250 = 0 AS is_whole
) AS rule;

ALTER TABLE endereco ADD COLUMN id_cidade bigint;

UPDATE endereco SET id_cidade = cidade.id
FROM cidade JOIN estado ON estado.id = cidade.id_estado
WHERE cidade.nome = endereco.cidade AND estado.sigla = endereco.uf;

INSERT INTO bairro (nome, id_cidade)
SELECT DISTINCT bairro, id_cidade FROM endereco WHERE bairro IS NOT NULL ORDER BY id_cidade, bairro;

INSERT INTO logradouro (cep, logradouro, id_cidade, id_bairro, created_at)
SELECT e.cep, e.logradouro, e.id_cidade, b.id, timestamptz '2025-11-15 12:00:00+00'
FROM endereco AS e
LEFT JOIN bairro AS b ON b.id_cidade = e.id_cidade AND b.nome = e.bairro
ORDER BY e.cep;

DROP TABLE endereco, place;

ANALYZE estado, cidade, bairro, logradouro;
