/** The help of `agents backtest`, and the bounds that it names. */
export const BACKTEST_HELP_COMMAND = 'npm run openperp -- agents backtest --help';

export const MAX_HISTORY_BARS = 5_000;
export const MAX_COST_BPS = 1_000;
export const MAX_SHOWN_TRADES = 100_000;

export const BACKTEST_HELP = `Usage: npm run openperp -- agents backtest <script file> --candles <file> --market <id> --timeframe <length> --order-size <quantity>
       npm run openperp -- agents backtest --strategy <id> … with a script of the catalogue instead of a file
       npm run openperp -- agents backtest … --url <venue> … with the recorded candles of a venue instead of a file

  Runs a strategy script over candles of the past. It needs no venue, unless it reads candles or a draft of one. Orders fill at the close of the bar on which the script sends them,
  moved by the slippage; fees and sums are counted as the venue counts them on paper. The result is the same for the same input.

  --draft <id>             the script of a draft, with --url and the names of demo.env in the environment: OPENPERP_ACCOUNT_ID, and
                           OPENPERP_APIKEY with the scope agents
  --candles <file>         rows of openTimeMs, open, high, low, close, volume: JSON or CSV, plain or gzip
  --url <venue>            reads the market and its recorded candles of trades from a running venue, such as http://localhost:8080
  --market <id>            the market whose ticks, quantities and fee apply, such as BTC-USD-PERP
  --timeframe <length>     1m, 5m, 15m, 1h, 4h or 1d; built from the candles of the file, which may be shorter
  --order-size <quantity>  the quantity of an entry for which the script has none, such as 0.1
  --param <name>=<value>   the value of a parameter of the script; once for each parameter (its default)
  --from <time>            the first bar that trades opens then or later, such as 2025-06-01 or 2025-06-01T12:00Z (the first)
  --to <time>              the last bar closes then or earlier (the last)
  --history-bars <n>       with --from: how many bars before it the script sees without trading, up to ${MAX_HISTORY_BARS} (300)
  --fee-bps <n>            the fee of a fill, 0 to ${MAX_COST_BPS} (the taker fee of the market)
  --slippage-bps <n>       how far a fill is from the close against the order, 0 to ${MAX_COST_BPS} (0)
  --trades <n>             how many of the newest trades to print (20)
  --svg <file>             also writes a picture: price, trades, equity
  --json                   prints JSON instead of text, with all trades and the equity after each bar
  --help                   this text

The exit status is 1 if the script ended before the last bar.`;
