//! The addresses that are known, by rule: none is stored.
//!
//! A code is a sector (its first five digits) and a suffix (three). States, municipalities and the sectors they have
//! are real, from `places.csv`; streets and districts are made up. Databases that hold part of these addresses are
//! filled by the same rule, and a test compares them.

use std::sync::LazyLock;

use serde_json::{Value, json};

/// Suffixes below it are known; those above, nobody has.
const SUFFIXES_KNOWN: u32 = 500;
/// A place without a code for every street has one code for each so many suffixes that stands for all of it.
const WHOLE_EVERY: u32 = 250;

/// One municipality: `uf,estado,regiao,ibge,localidade,ddd,siafi,first sector,sectors,streets|whole`.
struct Place {
    uf: &'static str,
    state: &'static str,
    region: &'static str,
    ibge: &'static str,
    name: &'static str,
    ddd: &'static str,
    siafi: &'static str,
    first_sector: u32,
    sectors: u32,
    by_street: bool,
}

/// In ascending order of their sectors.
static PLACES: LazyLock<Vec<Place>> = LazyLock::new(|| {
    let lines = include_str!("places.csv").lines();
    lines.filter_map(place).collect()
});

fn place(line: &'static str) -> Option<Place> {
    let mut fields = line.split(',');
    let mut next = || fields.next();
    Some(Place {
        uf: next()?,
        state: next()?,
        region: next()?,
        ibge: next()?,
        name: next()?,
        ddd: next()?,
        siafi: next()?,
        first_sector: next()?.parse().ok()?,
        sectors: next()?.parse().ok()?,
        by_street: next()? == "streets",
    })
}

/// One address. Street, complement and district are empty where the code stands for a whole place.
pub(super) struct Address {
    code: u32,
    place: &'static Place,
    street: String,
    complement: &'static str,
    district: &'static str,
}

/// The address of a code; `None` where nobody has it.
pub(super) fn address(code: u32) -> Option<Address> {
    let (sector, suffix) = (code / 1000, code % 1000);
    let after = PLACES.partition_point(|place| place.first_sector <= sector);
    let place = PLACES.get(after.checked_sub(1)?)?;
    if sector >= place.first_sector + place.sectors || suffix >= SUFFIXES_KNOWN {
        return None;
    }
    let mut address = Address {
        code,
        place,
        street: String::new(),
        complement: "",
        district: "",
    };
    if place.by_street || suffix % WHOLE_EVERY != 0 {
        let mixed = ((sector * 7919 + suffix * 104_729) % 1_000_003) as usize;
        address.street = format!("{} {}", TYPES[mixed % 8], STREETS[mixed / 8 % 48]);
        address.complement = match suffix % 20 {
            1 => "lado ímpar",
            2 => "lado par",
            3 => "até 999/1000",
            4 => "de 1001/1002 ao fim",
            _ => "",
        };
        address.district = DISTRICTS[((sector * 31 + suffix / 25) % 40) as usize];
    }
    Some(address)
}

impl Address {
    /// The answer of the real service, key by key in its order. It has a `gia` for the state of São Paulo only, and a
    /// `unidade` for large receivers only: both are empty here.
    pub(super) fn document(&self) -> Value {
        json!({
            "cep": format!("{:05}-{:03}", self.code / 1000, self.code % 1000),
            "logradouro": self.street,
            "complemento": self.complement,
            "unidade": "",
            "bairro": self.district,
            "localidade": self.place.name,
            "uf": self.place.uf,
            "estado": self.place.state,
            "regiao": self.place.region,
            "ibge": self.place.ibge,
            "gia": "",
            "ddd": self.place.ddd,
            "siafi": self.place.siafi,
        })
    }
}

const TYPES: [&str; 8] = [
    "Rua", "Rua", "Rua", "Rua", "Avenida", "Travessa", "Praça", "Alameda",
];

const STREETS: [&str; 48] = [
    "das Acácias",
    "dos Andradas",
    "Antônio Prado",
    "da Aurora",
    "Barão do Rio Branco",
    "Benjamin Constant",
    "do Bosque",
    "Castro Alves",
    "Cecília Meireles",
    "do Comércio",
    "Coronel Oliveira",
    "Dom Pedro II",
    "Duque de Caxias",
    "das Flores",
    "Floriano Peixoto",
    "da Fonte",
    "Getúlio Vargas",
    "Gonçalves Dias",
    "da Independência",
    "dos Ipês",
    "José Bonifácio",
    "Joaquim Nabuco",
    "das Laranjeiras",
    "da Liberdade",
    "Machado de Assis",
    "Marechal Deodoro",
    "Maria Quitéria",
    "das Mangueiras",
    "da Matriz",
    "do Mercado",
    "Monteiro Lobato",
    "Nossa Senhora Aparecida",
    "das Palmeiras",
    "dos Pinheiros",
    "da Praia",
    "Princesa Isabel",
    "Quinze de Novembro",
    "da República",
    "Rui Barbosa",
    "Santos Dumont",
    "São João",
    "São José",
    "Sete de Setembro",
    "Tiradentes",
    "das Tulipas",
    "Vinte e Um de Abril",
    "Visconde de Mauá",
    "da Caixa d'Água",
];

const DISTRICTS: [&str; 40] = [
    "Centro",
    "Aeroporto",
    "Alto da Glória",
    "Bela Vista",
    "Boa Esperança",
    "Boa Vista",
    "Bom Jesus",
    "Cidade Nova",
    "Cruzeiro",
    "Distrito Industrial",
    "Floresta",
    "Industrial",
    "Ipiranga",
    "Jardim América",
    "Jardim das Oliveiras",
    "Jardim Europa",
    "Jardim Primavera",
    "Liberdade",
    "Nossa Senhora de Fátima",
    "Nova Esperança",
    "Novo Horizonte",
    "Parque das Nações",
    "Planalto",
    "Ponte Nova",
    "Porto",
    "Santa Cruz",
    "Santa Luzia",
    "Santa Rita",
    "Santo Antônio",
    "São Cristóvão",
    "São Francisco",
    "São João",
    "São José",
    "São Pedro",
    "São Sebastião",
    "Setor Sul",
    "Universitário",
    "Vila Nova",
    "Vila Operária",
    "Vila Rica",
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_state_is_there_and_no_sector_belongs_to_two_places() {
        let states: BTreeSet<&str> = PLACES.iter().map(|place| place.uf).collect();
        assert_eq!(states.len(), 27);
        for pair in PLACES.windows(2) {
            assert!(
                pair[0].first_sector + pair[0].sectors <= pair[1].first_sector,
                "{}",
                pair[1].name
            );
        }
        assert_eq!(PLACES.len(), include_str!("places.csv").lines().count());
    }

    #[test]
    fn two_hundred_thousand_codes_are_known_and_every_one_has_its_place() {
        let known = (0..100_000).flat_map(|sector| [sector * 1000, sector * 1000 + 499]);
        let known = known.filter(|&code| address(code).is_some());
        assert_eq!(known.count(), 800);
        assert!(address(1_001_500).is_none());
        assert_eq!(PLACES.iter().map(|place| place.sectors).sum::<u32>(), 400);
    }

    #[test]
    fn a_whole_place_has_neither_street_nor_district() {
        let whole = address(69_935_000).unwrap();
        assert_eq!((whole.street.as_str(), whole.district), ("", ""));
        assert!(!address(69_935_001).unwrap().street.is_empty());
    }
}
