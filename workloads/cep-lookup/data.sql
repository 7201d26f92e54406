-- 100,000 synthetic addresses, the same every time. States, municipalities, their IBGE codes and the ranges of
-- their CEPs are real; streets and districts are made up by rule.
--
-- A CEP is a sector (five digits) and a suffix (three). Of every sector here the database knows the suffixes 000 to
-- 249. The stand-in of the upstream knows 000 to 499 by the same rule; nobody knows the rest.

INSERT INTO estado (uf, nome) VALUES
    ('AC', 'Acre'),
    ('AL', 'Alagoas'),
    ('AM', 'Amazonas'),
    ('AP', 'Amapá'),
    ('BA', 'Bahia'),
    ('CE', 'Ceará'),
    ('DF', 'Distrito Federal'),
    ('ES', 'Espírito Santo'),
    ('GO', 'Goiás'),
    ('MA', 'Maranhão'),
    ('MG', 'Minas Gerais'),
    ('MS', 'Mato Grosso do Sul'),
    ('MT', 'Mato Grosso'),
    ('PA', 'Pará'),
    ('PB', 'Paraíba'),
    ('PE', 'Pernambuco'),
    ('PI', 'Piauí'),
    ('PR', 'Paraná'),
    ('RJ', 'Rio de Janeiro'),
    ('RN', 'Rio Grande do Norte'),
    ('RO', 'Rondônia'),
    ('RR', 'Roraima'),
    ('RS', 'Rio Grande do Sul'),
    ('SC', 'Santa Catarina'),
    ('SE', 'Sergipe'),
    ('SP', 'São Paulo'),
    ('TO', 'Tocantins');

CREATE TEMPORARY TABLE place (
    uf text NOT NULL,
    ibge text NOT NULL,
    nome text NOT NULL,
    first_sector int NOT NULL,
    sectors int NOT NULL,
    -- Without a CEP for every street, one CEP stands for the whole place or a district of it.
    by_street boolean NOT NULL
);

INSERT INTO place (uf, ibge, nome, first_sector, sectors, by_street) VALUES
    ('SP', '3550308', 'São Paulo',  1001, 24, true),
    ('SP', '3534401', 'Osasco',  6000,  2, true),
    ('SP', '3518800', 'Guarulhos',  7000,  2, true),
    ('SP', '3547809', 'Santo André',  9000,  2, true),
    ('SP', '3548708', 'São Bernardo do Campo',  9600,  2, true),
    ('RJ', '3304557', 'Rio de Janeiro', 20000, 18, true),
    ('RJ', '3303302', 'Niterói', 24000,  2, true),
    ('RJ', '3304904', 'São Gonçalo', 24400,  2, true),
    ('RJ', '3301702', 'Duque de Caxias', 25000,  2, true),
    ('RJ', '3301009', 'Campos dos Goytacazes', 28000,  2, true),
    ('ES', '3205309', 'Vitória', 29000,  6, true),
    ('ES', '3205200', 'Vila Velha', 29100,  2, true),
    ('ES', '3205002', 'Serra', 29160,  2, true),
    ('ES', '3202405', 'Guarapari', 29200,  2, true),
    ('ES', '3201209', 'Cachoeiro de Itapemirim', 29300,  2, true),
    ('MG', '3106200', 'Belo Horizonte', 30000,  6, true),
    ('MG', '3118601', 'Contagem', 32000,  2, true),
    ('MG', '3157807', 'Santa Luzia', 33000,  2, true),
    ('MG', '3154606', 'Ribeirão das Neves', 33800,  2, true),
    ('MG', '3156700', 'Sabará', 34500,  2, true),
    ('BA', '2927408', 'Salvador', 40000,  6, true),
    ('BA', '2919207', 'Lauro de Freitas', 42700,  2, true),
    ('BA', '2910800', 'Feira de Santana', 44000,  2, true),
    ('BA', '2933307', 'Vitória da Conquista', 45000,  2, true),
    ('BA', '2900702', 'Alagoinhas', 48000,  2, true),
    ('SE', '2800308', 'Aracaju', 49000,  6, true),
    ('SE', '2800670', 'Boquim', 49360,  2, false),
    ('SE', '2803500', 'Lagarto', 49400,  2, false),
    ('SE', '2802908', 'Itabaiana', 49500,  2, true),
    ('SE', '2801306', 'Capela', 49700,  2, false),
    ('PE', '2611606', 'Recife', 50000,  6, true),
    ('PE', '2609600', 'Olinda', 53000,  2, true),
    ('PE', '2600054', 'Abreu e Lima', 53500,  2, true),
    ('PE', '2607901', 'Jaboatão dos Guararapes', 54000,  2, true),
    ('PE', '2604106', 'Caruaru', 55000,  2, true),
    ('AL', '2704302', 'Maceió', 57000,  6, true),
    ('AL', '2708600', 'São Miguel dos Campos', 57240,  2, true),
    ('AL', '2709152', 'Teotônio Vilela', 57265,  2, true),
    ('AL', '2700300', 'Arapiraca', 57300,  2, true),
    ('AL', '2706307', 'Palmeira dos Índios', 57600,  2, true),
    ('PB', '2507507', 'João Pessoa', 58000,  6, true),
    ('PB', '2503209', 'Cabedelo', 58100,  2, true),
    ('PB', '2504009', 'Campina Grande', 58400,  2, true),
    ('PB', '2510808', 'Patos', 58700,  2, true),
    ('PB', '2516201', 'Sousa', 58800,  2, true),
    ('RN', '2408102', 'Natal', 59000,  6, true),
    ('RN', '2403251', 'Parnamirim', 59140,  2, true),
    ('RN', '2407104', 'Macaíba', 59280,  2, true),
    ('RN', '2412005', 'São Gonçalo do Amarante', 59290,  2, true),
    ('RN', '2408003', 'Mossoró', 59600,  2, true),
    ('CE', '2304400', 'Fortaleza', 60000,  6, true),
    ('CE', '2303709', 'Caucaia', 61600,  2, true),
    ('CE', '2309706', 'Pacatuba', 61800,  2, true),
    ('CE', '2312908', 'Sobral', 62000,  2, true),
    ('CE', '2307304', 'Juazeiro do Norte', 63000,  2, true),
    ('PI', '2211001', 'Teresina', 64000,  6, true),
    ('PI', '2207702', 'Parnaíba', 64200,  2, true),
    ('PI', '2208007', 'Picos', 64600,  2, true),
    ('PI', '2203909', 'Floriano', 64800,  2, true),
    ('PI', '2209203', 'Santa Filomena', 64945,  2, false),
    ('MA', '2111300', 'São Luís', 65000,  6, true),
    ('MA', '2109908', 'Santa Inês', 65300,  2, true),
    ('MA', '2103000', 'Caxias', 65600,  2, true),
    ('MA', '2112209', 'Timon', 65630,  2, true),
    ('MA', '2105302', 'Imperatriz', 65900,  2, true),
    ('PA', '1501402', 'Belém', 66000,  6, true),
    ('PA', '1500800', 'Ananindeua', 67000,  2, true),
    ('PA', '1506807', 'Santarém', 68000,  2, true),
    ('PA', '1503606', 'Itaituba', 68180,  2, true),
    ('PA', '1504208', 'Marabá', 68500,  2, true),
    ('AP', '1600303', 'Macapá', 68900,  6, true),
    ('AP', '1600600', 'Santana', 68925,  2, true),
    ('AP', '1600105', 'Amapá', 68950,  2, false),
    ('AP', '1600204', 'Calçoene', 68960,  2, false),
    ('AP', '1600501', 'Oiapoque', 68980,  2, false),
    ('AM', '1302603', 'Manaus', 69000,  6, true),
    ('AM', '1301902', 'Itacoatiara', 69100,  2, true),
    ('AM', '1303403', 'Parintins', 69150,  2, true),
    ('RR', '1400100', 'Boa Vista', 69300,  6, true),
    ('RR', '1400050', 'Alto Alegre', 69350,  2, false),
    ('RR', '1400209', 'Caracaraí', 69360,  2, false),
    ('RR', '1400159', 'Bonfim', 69380,  2, false),
    ('RR', '1400175', 'Cantá', 69390,  2, false),
    ('AM', '1302504', 'Manacapuru', 69400,  2, true),
    ('AM', '1304203', 'Tefé', 69550,  2, true),
    ('AC', '1200401', 'Rio Branco', 69900,  6, true),
    ('AC', '1200054', 'Assis Brasil', 69935,  2, false),
    ('AC', '1200013', 'Acrelândia', 69945,  2, false),
    ('AC', '1200302', 'Feijó', 69960,  2, false),
    ('AC', '1200336', 'Mâncio Lima', 69990,  2, false),
    ('DF', '5300108', 'Brasília', 70000,  6, true),
    ('GO', '5212501', 'Luziânia', 72800,  2, true),
    ('GO', '5208707', 'Goiânia', 74000,  6, true),
    ('GO', '5201405', 'Aparecida de Goiânia', 74900,  2, true),
    ('GO', '5201108', 'Anápolis', 75000,  2, true),
    ('GO', '5211503', 'Itumbiara', 75500,  2, true),
    ('RO', '1100205', 'Porto Velho', 76800,  6, true),
    ('RO', '1100023', 'Ariquemes', 76870,  2, true),
    ('RO', '1100122', 'Ji-Paraná', 76900,  2, true),
    ('RO', '1100049', 'Cacoal', 76960,  2, true),
    ('RO', '1100304', 'Vilhena', 76980,  2, true),
    ('TO', '1721000', 'Palmas', 77000,  6, true),
    ('TO', '1702406', 'Arraias', 77330,  2, false),
    ('TO', '1709500', 'Gurupi', 77400,  2, true),
    ('TO', '1718204', 'Porto Nacional', 77500,  2, false),
    ('TO', '1702109', 'Araguaína', 77800,  2, true),
    ('MT', '5103403', 'Cuiabá', 78000,  6, true),
    ('MT', '5108402', 'Várzea Grande', 78110,  2, true),
    ('MT', '5102504', 'Cáceres', 78200,  2, true),
    ('MT', '5107909', 'Sinop', 78548,  2, true),
    ('MT', '5107602', 'Rondonópolis', 78700,  2, true),
    ('MS', '5002704', 'Campo Grande', 79000,  6, true),
    ('MS', '5003207', 'Corumbá', 79300,  2, true),
    ('MS', '5008305', 'Três Lagoas', 79600,  2, true),
    ('MS', '5003702', 'Dourados', 79800,  2, true),
    ('MS', '5006606', 'Ponta Porã', 79900,  2, true),
    ('PR', '4106902', 'Curitiba', 80000,  6, true),
    ('PR', '4125506', 'São José dos Pinhais', 83000,  2, true),
    ('PR', '4119905', 'Ponta Grossa', 84000,  2, true),
    ('PR', '4109401', 'Guarapuava', 85000,  2, true),
    ('PR', '4113700', 'Londrina', 86000,  2, true),
    ('SC', '4205407', 'Florianópolis', 88000,  6, true),
    ('SC', '4209300', 'Lages', 88500,  2, true),
    ('SC', '4202404', 'Blumenau', 89000,  2, true),
    ('SC', '4209102', 'Joinville', 89200,  2, true),
    ('SC', '4210100', 'Mafra', 89300,  2, true),
    ('RS', '4314902', 'Porto Alegre', 90000,  6, true),
    ('RS', '4304606', 'Canoas', 92000,  2, true),
    ('RS', '4313409', 'Novo Hamburgo', 93300,  2, true),
    ('RS', '4309209', 'Gravataí', 94000,  2, true),
    ('RS', '4323002', 'Viamão', 94400,  2, true);

INSERT INTO cidade (ibge, nome, uf)
SELECT ibge, nome, uf FROM place ORDER BY first_sector;

CREATE TEMPORARY TABLE endereco AS
SELECT
    lpad(sector::text, 5, '0') || lpad(suffix::text, 3, '0') AS cep,
    ibge,
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
        (ARRAY['lado ímpar', 'lado par', 'até 999/1000', 'de 1001/1002 ao fim'])[suffix % 20]
    END AS complemento,
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

INSERT INTO bairro (ibge, nome)
SELECT DISTINCT ibge, bairro FROM endereco WHERE bairro IS NOT NULL ORDER BY ibge, bairro;

INSERT INTO logradouro (cep, logradouro, complemento, ibge, id_bairro, created_at)
SELECT e.cep, e.logradouro, e.complemento, e.ibge, b.id, timestamptz '2025-11-15 12:00:00+00'
FROM endereco AS e
LEFT JOIN bairro AS b ON b.ibge = e.ibge AND b.nome = e.bairro
ORDER BY e.cep;
