-- The 100,000 addresses of the workload cep-lookup, by the same rule, in the layout of the article's FastAPI service.

CREATE TEMPORARY TABLE place (
    uf text NOT NULL,
    ibge text NOT NULL,
    nome text NOT NULL,
    ddd text NOT NULL,
    siafi text NOT NULL,
    first_sector int NOT NULL,
    sectors int NOT NULL,
    -- Without a CEP for every street, one CEP stands for the whole place or a district of it.
    by_street boolean NOT NULL
);

INSERT INTO place (uf, ibge, nome, ddd, siafi, first_sector, sectors, by_street) VALUES
    ('SP', '3550308', 'São Paulo', '11', '7107', 1001, 24, true),
    ('SP', '3534401', 'Osasco', '11', '6789', 6000, 2, true),
    ('SP', '3518800', 'Guarulhos', '11', '6477', 7000, 2, true),
    ('SP', '3547809', 'Santo André', '11', '7057', 9000, 2, true),
    ('SP', '3548708', 'São Bernardo do Campo', '11', '7075', 9600, 2, true),
    ('RJ', '3304557', 'Rio de Janeiro', '21', '6001', 20000, 18, true),
    ('RJ', '3303302', 'Niterói', '21', '5865', 24000, 2, true),
    ('RJ', '3304904', 'São Gonçalo', '21', '5897', 24400, 2, true),
    ('RJ', '3301702', 'Duque de Caxias', '21', '5833', 25000, 2, true),
    ('RJ', '3301009', 'Campos dos Goytacazes', '22', '5819', 28000, 2, true),
    ('ES', '3205309', 'Vitória', '27', '5705', 29000, 6, true),
    ('ES', '3205200', 'Vila Velha', '27', '5703', 29100, 2, true),
    ('ES', '3205002', 'Serra', '27', '5699', 29160, 2, true),
    ('ES', '3202405', 'Guarapari', '27', '5647', 29200, 2, true),
    ('ES', '3201209', 'Cachoeiro de Itapemirim', '28', '5623', 29300, 2, true),
    ('MG', '3106200', 'Belo Horizonte', '31', '4123', 30000, 6, true),
    ('MG', '3118601', 'Contagem', '31', '4371', 32000, 2, true),
    ('MG', '3157807', 'Santa Luzia', '31', '5155', 33000, 2, true),
    ('MG', '3154606', 'Ribeirão das Neves', '31', '5091', 33800, 2, true),
    ('MG', '3156700', 'Sabará', '31', '5133', 34500, 2, true),
    ('BA', '2927408', 'Salvador', '71', '3849', 40000, 6, true),
    ('BA', '2919207', 'Lauro de Freitas', '71', '3685', 42700, 2, true),
    ('BA', '2910800', 'Feira de Santana', '75', '3515', 44000, 2, true),
    ('BA', '2933307', 'Vitória da Conquista', '77', '3965', 45000, 2, true),
    ('BA', '2900702', 'Alagoinhas', '75', '3313', 48000, 2, true),
    ('SE', '2800308', 'Aracaju', '79', '3105', 49000, 6, true),
    ('SE', '2800670', 'Boquim', '79', '3115', 49360, 2, false),
    ('SE', '2803500', 'Lagarto', '79', '3169', 49400, 2, false),
    ('SE', '2802908', 'Itabaiana', '79', '3157', 49500, 2, true),
    ('SE', '2801306', 'Capela', '79', '3125', 49700, 2, false),
    ('PE', '2611606', 'Recife', '81', '2531', 50000, 6, true),
    ('PE', '2609600', 'Olinda', '81', '2491', 53000, 2, true),
    ('PE', '2600054', 'Abreu e Lima', '81', '2631', 53500, 2, true),
    ('PE', '2607901', 'Jaboatão dos Guararapes', '81', '2457', 54000, 2, true),
    ('PE', '2604106', 'Caruaru', '81', '2381', 55000, 2, true),
    ('AL', '2704302', 'Maceió', '82', '2785', 57000, 6, true),
    ('AL', '2708600', 'São Miguel dos Campos', '82', '2871', 57240, 2, true),
    ('AL', '2709152', 'Teotônio Vilela', '82', '0971', 57265, 2, true),
    ('AL', '2700300', 'Arapiraca', '82', '2705', 57300, 2, true),
    ('AL', '2706307', 'Palmeira dos Índios', '82', '2825', 57600, 2, true),
    ('PB', '2507507', 'João Pessoa', '83', '2051', 58000, 6, true),
    ('PB', '2503209', 'Cabedelo', '83', '1965', 58100, 2, true),
    ('PB', '2504009', 'Campina Grande', '83', '1981', 58400, 2, true),
    ('PB', '2510808', 'Patos', '83', '2117', 58700, 2, true),
    ('PB', '2516201', 'Sousa', '83', '2225', 58800, 2, true),
    ('RN', '2408102', 'Natal', '84', '1761', 59000, 6, true),
    ('RN', '2403251', 'Parnamirim', '84', '1779', 59140, 2, true),
    ('RN', '2407104', 'Macaíba', '84', '1741', 59280, 2, true),
    ('RN', '2412005', 'São Gonçalo do Amarante', '84', '1837', 59290, 2, true),
    ('RN', '2408003', 'Mossoró', '84', '1759', 59600, 2, true),
    ('CE', '2304400', 'Fortaleza', '85', '1389', 60000, 6, true),
    ('CE', '2303709', 'Caucaia', '85', '1373', 61600, 2, true),
    ('CE', '2309706', 'Pacatuba', '85', '1495', 61800, 2, true),
    ('CE', '2312908', 'Sobral', '88', '1559', 62000, 2, true),
    ('CE', '2307304', 'Juazeiro do Norte', '88', '1447', 63000, 2, true),
    ('PI', '2211001', 'Teresina', '86', '1219', 64000, 6, true),
    ('PI', '2207702', 'Parnaíba', '86', '1153', 64200, 2, true),
    ('PI', '2208007', 'Picos', '89', '1159', 64600, 2, true),
    ('PI', '2203909', 'Floriano', '89', '1077', 64800, 2, true),
    ('PI', '2209203', 'Santa Filomena', '89', '1183', 64945, 2, false),
    ('MA', '2111300', 'São Luís', '98', '0921', 65000, 6, true),
    ('MA', '2109908', 'Santa Inês', '98', '0957', 65300, 2, true),
    ('MA', '2103000', 'Caxias', '99', '0757', 65600, 2, true),
    ('MA', '2112209', 'Timon', '99', '0937', 65630, 2, true),
    ('MA', '2105302', 'Imperatriz', '99', '0803', 65900, 2, true),
    ('PA', '1501402', 'Belém', '91', '0427', 66000, 6, true),
    ('PA', '1500800', 'Ananindeua', '91', '0415', 67000, 2, true),
    ('PA', '1506807', 'Santarém', '93', '0535', 68000, 2, true),
    ('PA', '1503606', 'Itaituba', '93', '0471', 68180, 2, true),
    ('PA', '1504208', 'Marabá', '94', '0483', 68500, 2, true),
    ('AP', '1600303', 'Macapá', '96', '0605', 68900, 6, true),
    ('AP', '1600600', 'Santana', '96', '0615', 68925, 2, true),
    ('AP', '1600105', 'Amapá', '96', '0601', 68950, 2, false),
    ('AP', '1600204', 'Calçoene', '96', '0603', 68960, 2, false),
    ('AP', '1600501', 'Oiapoque', '96', '0609', 68980, 2, false),
    ('AM', '1302603', 'Manaus', '92', '0255', 69000, 6, true),
    ('AM', '1301902', 'Itacoatiara', '92', '0241', 69100, 2, true),
    ('AM', '1303403', 'Parintins', '92', '0269', 69150, 2, true),
    ('RR', '1400100', 'Boa Vista', '95', '0301', 69300, 6, true),
    ('RR', '1400050', 'Alto Alegre', '95', '0305', 69350, 2, false),
    ('RR', '1400209', 'Caracaraí', '95', '0303', 69360, 2, false),
    ('RR', '1400159', 'Bonfim', '95', '0307', 69380, 2, false),
    ('RR', '1400175', 'Cantá', '95', '0028', 69390, 2, false),
    ('AM', '1302504', 'Manacapuru', '92', '0253', 69400, 2, true),
    ('AM', '1304203', 'Tefé', '97', '0281', 69550, 2, true),
    ('AC', '1200401', 'Rio Branco', '68', '0139', 69900, 6, true),
    ('AC', '1200054', 'Assis Brasil', '68', '0157', 69935, 2, false),
    ('AC', '1200013', 'Acrelândia', '68', '0643', 69945, 2, false),
    ('AC', '1200302', 'Feijó', '68', '0113', 69960, 2, false),
    ('AC', '1200336', 'Mâncio Lima', '68', '0109', 69990, 2, false),
    ('DF', '5300108', 'Brasília', '61', '9701', 70000, 6, true),
    ('GO', '5212501', 'Luziânia', '61', '9445', 72800, 2, true),
    ('GO', '5208707', 'Goiânia', '62', '9373', 74000, 6, true),
    ('GO', '5201405', 'Aparecida de Goiânia', '62', '9227', 74900, 2, true),
    ('GO', '5201108', 'Anápolis', '62', '9221', 75000, 2, true),
    ('GO', '5211503', 'Itumbiara', '64', '9425', 75500, 2, true),
    ('RO', '1100205', 'Porto Velho', '69', '0003', 76800, 6, true),
    ('RO', '1100023', 'Ariquemes', '69', '0007', 76870, 2, true),
    ('RO', '1100122', 'Ji-Paraná', '69', '0005', 76900, 2, true),
    ('RO', '1100049', 'Cacoal', '69', '0009', 76960, 2, true),
    ('RO', '1100304', 'Vilhena', '69', '0013', 76980, 2, true),
    ('TO', '1721000', 'Palmas', '63', '9733', 77000, 6, true),
    ('TO', '1702406', 'Arraias', '63', '9247', 77330, 2, false),
    ('TO', '1709500', 'Gurupi', '63', '9385', 77400, 2, true),
    ('TO', '1718204', 'Porto Nacional', '63', '9559', 77500, 2, false),
    ('TO', '1702109', 'Araguaína', '63', '9241', 77800, 2, true),
    ('MT', '5103403', 'Cuiabá', '65', '9067', 78000, 6, true),
    ('MT', '5108402', 'Várzea Grande', '65', '9167', 78110, 2, true),
    ('MT', '5102504', 'Cáceres', '65', '9047', 78200, 2, true),
    ('MT', '5107909', 'Sinop', '66', '8985', 78548, 2, true),
    ('MT', '5107602', 'Rondonópolis', '66', '9151', 78700, 2, true),
    ('MS', '5002704', 'Campo Grande', '67', '9051', 79000, 6, true),
    ('MS', '5003207', 'Corumbá', '67', '9063', 79300, 2, true),
    ('MS', '5008305', 'Três Lagoas', '67', '9165', 79600, 2, true),
    ('MS', '5003702', 'Dourados', '67', '9073', 79800, 2, true),
    ('MS', '5006606', 'Ponta Porã', '67', '9131', 79900, 2, true),
    ('PR', '4106902', 'Curitiba', '41', '7535', 80000, 6, true),
    ('PR', '4125506', 'São José dos Pinhais', '41', '7885', 83000, 2, true),
    ('PR', '4119905', 'Ponta Grossa', '42', '7777', 84000, 2, true),
    ('PR', '4109401', 'Guarapuava', '42', '7583', 85000, 2, true),
    ('PR', '4113700', 'Londrina', '43', '7667', 86000, 2, true),
    ('SC', '4205407', 'Florianópolis', '48', '8105', 88000, 6, true),
    ('SC', '4209300', 'Lages', '49', '8183', 88500, 2, true),
    ('SC', '4202404', 'Blumenau', '47', '8047', 89000, 2, true),
    ('SC', '4209102', 'Joinville', '47', '8179', 89200, 2, true),
    ('SC', '4210100', 'Mafra', '47', '8199', 89300, 2, true),
    ('RS', '4314902', 'Porto Alegre', '51', '8801', 90000, 6, true),
    ('RS', '4304606', 'Canoas', '51', '8589', 92000, 2, true),
    ('RS', '4313409', 'Novo Hamburgo', '51', '8771', 93300, 2, true),
    ('RS', '4309209', 'Gravataí', '51', '8683', 94000, 2, true),
    ('RS', '4323002', 'Viamão', '51', '8963', 94400, 2, true);

CREATE TEMPORARY TABLE endereco AS
SELECT
    lpad(sector::text, 5, '0') || lpad(suffix::text, 3, '0') AS cep,
    place.*,
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

INSERT INTO ceps (cep, logradouro, complemento, bairro, localidade, uf, ibge, gia, ddd, siafi)
SELECT cep, coalesce(logradouro, ''), coalesce(complemento, ''), coalesce(bairro, ''), nome, uf, ibge, '', ddd, siafi
FROM endereco
ORDER BY cep;

DROP TABLE endereco, place;

ANALYZE ceps;
