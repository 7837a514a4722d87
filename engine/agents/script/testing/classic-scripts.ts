/** Classic strategies as they are written in Pine, in our own words. Tests run them and mutate them. */

const header = (title: string, version: 5 | 6 = 6) => `//@version=${version}\nstrategy("${title}", overlay = true)\n`;

export const CLASSIC_SCRIPTS: Readonly<Record<string, string>> = {
  donchian: `${header('Donchian breakout')}
length = input.int(20, "Channel", minval = 2, maxval = 200)
exitLength = input.int(10, "Exit channel", minval = 2, maxval = 200)
upper = ta.highest(high, length)[1]
lower = ta.lowest(low, length)[1]
exitLow = ta.lowest(exitLength)[1]
exitHigh = ta.highest(exitLength)[1]
if close > upper
    strategy.entry("Long", strategy.long)
if close < lower
    strategy.entry("Short", strategy.short)
if strategy.position_size > 0 and close < exitLow
    strategy.close("Long")
if strategy.position_size < 0 and close > exitHigh
    strategy.close("Short")
plot(upper)
`,
  movingAverages: `${header('Moving average cross', 5)}
kind = input.string("EMA", "Kind", options = ["SMA", "EMA", "WMA", "HMA"])
fastLength = input.int(9, "Fast", minval = 1)
slowLength = input.int(21, "Slow", minval = 1)
fast = switch kind
    "SMA" => ta.sma(close, fastLength)
    "EMA" => ta.ema(close, fastLength)
    "WMA" => ta.wma(close, fastLength)
    => ta.hma(close, fastLength)
slow = kind == "SMA" ? ta.sma(close, slowLength) : ta.ema(close, slowLength)
strategy.entry("L", strategy.long, when = ta.crossover(fast, slow))
strategy.entry("S", strategy.short, when = ta.crossunder(fast, slow))
`,
  rsi: `${header('RSI reversion')}
length = input.int(14)
low_ = input.float(30, "Oversold", minval = 1, maxval = 50, step = 0.5)
vrsi = ta.rsi(close, length)
up = ta.crossover(vrsi, low_)
down = ta.crossunder(vrsi, 100 - low_)
if not na(vrsi)
    if up
        strategy.entry("RsiLE", strategy.long, comment = "RsiLE")
    if down
        strategy.entry("RsiSE", strategy.short, comment = "RsiSE")
`,
  bollinger: `${header('Bollinger reversion')}
source = input(close)
[basis, upper, lower] = ta.bb(source, 20, 2)
entersLong = ta.crossover(source, lower)
entersShort = ta.crossunder(source, upper)
width = ta.bbw(source, 20, 2)
if entersLong and width > 0
    strategy.entry("Long", strategy.long)
if entersShort and width > 0
    strategy.entry("Short", strategy.short)
if ta.cross(source, basis)
    strategy.close_all()
p1 = plot(upper, color = color.blue)
p2 = plot(lower, color = color.blue)
fill(p1, p2)
`,
  supertrend: `${header('Supertrend')}
[line, direction] = ta.supertrend(3, 10)
if ta.change(direction) < 0
    strategy.entry("Long", strategy.long)
if ta.change(direction) > 0
    strategy.entry("Short", strategy.short)
plot(line, color = direction < 0 ? color.green : color.red)
`,
  keltner: `${header('Keltner channel')}
[middle, upper, lower] = ta.kc(close, 20, 1.5)
var float entryPrice = na
if close > upper
    entryPrice := close
    strategy.entry("Long", strategy.long)
if close < middle
    strategy.close("Long")
    entryPrice := na
strategy.exit("Stop", "Long", stop = entryPrice - 2 * ta.atr(14))
`,
  macd: `${header('MACD')}
[macdLine, signalLine, histogram] = ta.macd(close, 12, 26, 9)
if ta.crossover(histogram, 0)
    strategy.entry("Long", strategy.long)
if ta.crossunder(histogram, 0)
    strategy.entry("Short", strategy.short)
`,
  stochastic: `${header('Stochastic')}
k = ta.sma(ta.stoch(close, high, low, 14), 3)
d = ta.sma(k, 3)
if ta.crossover(k, d) and k < 20
    strategy.entry("Long", strategy.long)
if ta.crossunder(k, d) and k > 80
    strategy.entry("Short", strategy.short)
`,
  directional: `${header('ADX trend')}
[plus, minus, adx] = ta.dmi(14, 14)
isTrend = adx > input.int(25, "Trend above")
if isTrend and ta.crossover(plus, minus)
    strategy.entry("Long", strategy.long)
else if isTrend and ta.crossunder(plus, minus)
    strategy.entry("Short", strategy.short)
if adx < 20
    strategy.close_all(comment = "no trend")
`,
  cci: `${header('CCI')}
value = ta.cci(hlc3, 20)
if ta.crossover(value, -100)
    strategy.entry("Long", strategy.long)
if ta.crossunder(value, 100)
    strategy.entry("Short", strategy.short)
`,
  parabolic: `${header('Parabolic SAR')}
stop = ta.sar(0.02, 0.02, 0.2)
if stop < low and stop[1] >= low[1]
    strategy.entry("Long", strategy.long)
if stop > high and stop[1] <= high[1]
    strategy.entry("Short", strategy.short)
`,
  momentum: `${header('Momentum')}
length = input.int(12)
change = close - close[length]
rate = ta.roc(close, length)
if change > 0 and change > change[1] and rate > 0.1
    strategy.entry("Long", strategy.long)
if change < 0 and change < change[1]
    strategy.entry("Short", strategy.short)
`,
  williams: `${header('Williams %R')}
length = 14
top = ta.highest(length)
bottom = ta.lowest(length)
percent = 100 * (close - top) / (top - bottom)
if ta.crossover(percent, -80)
    strategy.entry("Long", strategy.long)
if percent > -20
    strategy.close("Long")
`,
  ichimoku: `${header('Ichimoku')}
conversion = math.avg(ta.lowest(9), ta.highest(9))
base = math.avg(ta.lowest(26), ta.highest(26))
spanA = math.avg(conversion, base)[26]
spanB = math.avg(ta.lowest(52), ta.highest(52))[26]
isAbove = close > math.max(spanA, spanB)
if ta.crossover(conversion, base) and isAbove
    strategy.entry("Long", strategy.long)
if ta.crossunder(conversion, base)
    strategy.close("Long")
`,
  trailing: `${header('ATR trailing stop')}
range = ta.atr(14) * input.float(3, "Multiplier", minval = 0.1)
var float stop = na
before = nz(stop[1])
stop := if close > before and close[1] > before
    math.max(before, close - range)
else if close < before and close[1] < before
    math.min(before, close + range)
else
    close > before ? close - range : close + range
if ta.crossover(close, stop)
    strategy.entry("Long", strategy.long, qty = 2)
strategy.exit("Trail", from_entry = "Long", trail_points = 20, trail_offset = 40, loss = 500)
if ta.crossunder(close, stop)
    strategy.close("Long")
`,
  weighted: `${header('Sum in a loop')}
n = input.int(5, minval = 1, maxval = 50)
total = 0.0
for i = 0 to n - 1
    if na(close[i])
        break
    total += close[i] * (n - i)
average = total / (n * (n + 1) / 2)
score = ta.linreg(average, 10, 0) - ta.vwma(close, 10) + nz(ta.obv[1]) * 0
sinceBelow = ta.barssince(score < 0)
isUp = score > 0 and sinceBelow > 2
since = ta.valuewhen(isUp, close, 1)
if isUp and close > since
    strategy.entry("Long", strategy.long)
else if score < 0 and ta.stdev(close, 20) > 0 and ta.variance(close, 20, false) > 0 and ta.cum(volume) > 0
    strategy.close("Long")
`,
};
