//! What the user pays, and what load must be carried: the arguments of a report that are about money.

use clap::Args;
use report::{Findings, Prices};

use crate::exit::Usage;

/// Share of the cores' time that is meant to be used, unless given.
const UTILISATION_RATIO: f64 = 0.6;

/// Prices and a load to plan for.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Cost")]
pub struct PriceArgs {
    /// Price of one core for one hour.
    #[arg(long, value_name = "MONEY")]
    price_core_hour: Option<f64>,
    /// Price of one GiB of memory for one hour.
    #[arg(long, value_name = "MONEY")]
    price_gib_hour: Option<f64>,
    /// Currency of the prices [default: USD]
    #[arg(long, value_name = "CODE")]
    currency: Option<String>,
    /// Share of the cores' time that is meant to be used [default: 0.6]
    #[arg(long, value_name = "SHARE")]
    utilisation: Option<f64>,
    /// Requests per second to plan for.
    #[arg(long, value_name = "RATE", requires = "plan_p99")]
    plan_rate: Option<f64>,
    /// Bound on the 99th percentile of response time to plan for: 50ms.
    #[arg(long, value_name = "TIME", requires = "plan_rate")]
    plan_p99: Option<String>,
}

impl PriceArgs {
    /// Puts prices and a plan to the findings, where they were asked for.
    ///
    /// # Errors
    /// A number that is no price, share, rate or time is wrong usage.
    pub fn put_into(&self, findings: &mut Findings) -> Result<(), Usage> {
        let prices = self.prices()?;
        let plan = self.plan()?;
        findings.priced = prices
            .as_ref()
            .map(|prices| report::priced(findings, prices));
        findings.plan = plan.map(|(rate_per_s, p99_ns)| {
            report::plan(
                findings,
                rate_per_s,
                p99_ns,
                self.utilisation_ratio(),
                prices.as_ref(),
            )
        });
        Ok(())
    }

    /// Refuses what the HTML page would not show: its planner has fields of its own.
    ///
    /// # Errors
    /// As wrong usage, naming the first flag that was given.
    pub fn refuse_for_page(&self) -> Result<(), Usage> {
        let given = [
            ("--price-core-hour", self.price_core_hour.is_some()),
            ("--price-gib-hour", self.price_gib_hour.is_some()),
            ("--currency", self.currency.is_some()),
            ("--utilisation", self.utilisation.is_some()),
            ("--plan-rate", self.plan_rate.is_some()),
        ];
        match given.iter().find(|(_, is_given)| *is_given) {
            None => Ok(()),
            Some((name, _)) => Err(Usage(format!(
                "{name} does nothing with --format html: the page has fields for prices and load, to be filled in there"
            ))),
        }
    }

    fn prices(&self) -> Result<Option<Prices>, Usage> {
        let utilisation_ratio = self.utilisation_ratio();
        if !(utilisation_ratio > 0.0 && utilisation_ratio <= 1.0) {
            return Err(Usage(format!(
                "--utilisation {utilisation_ratio}: give a share above 0 and at most 1"
            )));
        }
        let named = [
            ("--price-core-hour", self.price_core_hour),
            ("--price-gib-hour", self.price_gib_hour),
        ];
        for (name, price) in named {
            if price.is_some_and(|price| !(price >= 0.0 && price.is_finite())) {
                return Err(Usage(format!("{name}: give a price of 0 or more")));
            }
        }
        let [core_hour, gib_hour] = named.map(|(_, price)| price.unwrap_or(0.0));
        if core_hour == 0.0 && gib_hour == 0.0 {
            return Ok(None);
        }
        Ok(Some(Prices {
            core_hour,
            gib_hour,
            currency: self.currency.clone().unwrap_or_else(|| "USD".to_owned()),
            utilisation_ratio,
        }))
    }

    fn utilisation_ratio(&self) -> f64 {
        self.utilisation.unwrap_or(UTILISATION_RATIO)
    }

    fn plan(&self) -> Result<Option<(f64, f64)>, Usage> {
        let Some((rate, p99)) = self.plan_rate.zip(self.plan_p99.as_ref()) else {
            return Ok(None);
        };
        if !(rate > 0.0 && rate.is_finite()) {
            return Err(Usage(format!("--plan-rate {rate}: give a rate above 0")));
        }
        match report::time_ns(p99) {
            Some(p99_ns) => Ok(Some((rate, p99_ns))),
            None => Err(Usage(format!(
                "--plan-p99 {p99}: write a time like 50ms, 1.5s or 800us"
            ))),
        }
    }
}
