//  ---------------------------------------------------------------------------

import openperpRest from '../openperp.js';
import { AuthenticationError, BadRequest, BadSymbol, ExchangeClosedByUser, ExchangeError, ExchangeNotAvailable, NetworkError, NotSupported, PermissionDenied, UnsubscribeError } from '../base/errors.js';
import { Precise } from '../base/Precise.js';
import { ArrayCache, ArrayCacheBySymbolById, ArrayCacheBySymbolBySide, ArrayCacheByTimestamp } from '../base/ws/Cache.js';
import type { Balances, Dict, Dictionary, Int, int, Market, OHLCV, Order, OrderBook, Position, Str, Strings, Ticker, Tickers, Trade } from '../base/types.js';
import type Client from '../base/ws/Client.js';

//  ---------------------------------------------------------------------------

/**
 * @class openperp
 * @description The socket methods. A feed is what is subscribed to for a watch method: one channel of the venue, for positions two. What was held of a feed outlives its socket: the next socket takes it up from there.
 * @augments openperpRest
 */
export default class openperp extends openperpRest {
    describe (): any {
        return this.deepExtend (super.describe (), {
            'pro': true,
            'has': {
                'ws': true,
                'watchBalance': true,
                'watchBidsAsks': true,
                'watchMyTrades': true,
                'watchOHLCV': true,
                'watchOHLCVForSymbols': true,
                'watchOrderBook': true,
                'watchOrderBookForSymbols': true,
                'watchOrders': true,
                'watchPositions': true,
                'watchTicker': true,
                'watchTickers': true,
                'watchTrades': true,
                'watchTradesForSymbols': true,
                'unWatchBalance': true,
                'unWatchBidsAsks': true,
                'unWatchMyTrades': true,
                'unWatchOHLCV': true,
                'unWatchOHLCVForSymbols': true,
                'unWatchOrderBook': true,
                'unWatchOrderBookForSymbols': true,
                'unWatchOrders': true,
                'unWatchPositions': true,
                'unWatchTicker': true,
                'unWatchTickers': true,
                'unWatchTrades': true,
                'unWatchTradesForSymbols': true,
            },
            'urls': {
                'api': {
                    'ws': undefined, // the venue says where it is, see loadRealtimeUrl
                },
                'test': {
                    'ws': undefined,
                },
            },
            'options': {
                'tradesLimit': 10000,
                'ordersLimit': 20000,
                'myTradesLimit': 20000,
                'OHLCVLimit': 1000,
                'ticketRefreshInterval': 1200000, // a ticket is good for an hour, and a socket as long as its tickets
                'feeds': {}, // what is watched, by name
                'unread': {}, // by message hash, the keys of what came and was not returned yet
                'lost': {}, // by message hash, how much of that had to leave a cache
            },
            'streaming': {
                'keepAlive': 20000,
            },
            'exceptions': {
                'ws': {
                    'exact': {
                        'invalid_request': BadRequest,
                        'unknown_channel': NotSupported,
                        'unknown_market': BadSymbol,
                        'source_unavailable': NotSupported,
                        'authentication_required': AuthenticationError,
                        'already_authenticated': ExchangeError,
                        'ticket_rejected': AuthenticationError,
                        'tickets_unavailable': ExchangeNotAvailable,
                        'account_forbidden': PermissionDenied,
                        'already_subscribed': ExchangeError,
                        'too_many_subscriptions': ExchangeError,
                        'sequence_ahead': ExchangeError,
                    },
                },
            },
        });
    }

    /**
     * @method
     * @name openperp#watchTicker
     * @description watches a price ticker, a statistical calculation with the information calculated over the past 24 hours for a specific market
     * @param {string} symbol unified symbol of the market to fetch the ticker for
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object} a [ticker structure]{@link https://docs.ccxt.com/?id=ticker-structure}
     */
    async watchTicker (symbol: string, params: Dict = {}): Promise<Ticker> {
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        const market = this.market (symbol);
        const messageHash = 'ticker:' + market['symbol'];
        await this.watchFeeds ([ this.marketFeed ('market.ticker', market) ], [ messageHash ]);
        this.takeUnread (messageHash);
        return this.tickers[market['symbol']];
    }

    /**
     * @method
     * @name openperp#watchTickers
     * @description watches price tickers, statistical calculations with the information calculated over the past 24 hours for several markets, all of them if no symbols are given
     * @param {string[]} [symbols] unified symbols of the markets to fetch the tickers for
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object} a dictionary of [ticker structures]{@link https://docs.ccxt.com/?id=ticker-structure}
     */
    async watchTickers (symbols: Strings = undefined, params: Dict = {}): Promise<Tickers> {
        return await this.watchQuotes ('market.ticker', 'ticker', symbols);
    }

    /**
     * @method
     * @name openperp#watchBidsAsks
     * @description watches best bid & ask for symbols, all of them if none are given
     * @param {string[]} [symbols] unified symbols of the markets to fetch the bids and asks for
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object} a dictionary of [ticker structures]{@link https://docs.ccxt.com/?id=ticker-structure}
     */
    async watchBidsAsks (symbols: Strings = undefined, params: Dict = {}): Promise<Tickers> {
        return await this.watchQuotes ('market.book', 'bidask', symbols);
    }

    async watchQuotes (channel: string, prefix: string, symbols: Strings = undefined): Promise<Tickers> {
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        const requested = this.requestedSymbols (symbols);
        const messageHashes = this.messageHashesOf (prefix, requested);
        const ready = await this.watchFeeds (this.marketFeeds (channel, requested), messageHashes);
        const cache = (prefix === 'ticker') ? this.tickers : this.bidsasks;
        const result: Dict = {};
        for (let i = 0; i < requested.length; i++) {
            const symbol = requested[i];
            const messageHash = messageHashes[i];
            const isNew = (messageHash === ready) || this.isUnread (messageHash);
            if ((isNew || !this.newUpdates) && (symbol in cache)) {
                result[symbol] = cache[symbol];
            }
            this.takeUnread (messageHash);
        }
        return result;
    }

    /**
     * @method
     * @name openperp#unWatchTicker
     * @description unWatches a price ticker
     * @param {string} symbol unified symbol of the market to stop watching the ticker of
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {bool} true
     */
    async unWatchTicker (symbol: string, params: Dict = {}): Promise<any> {
        return await this.unWatchMarkets ('market.ticker', 'ticker', [ symbol ]);
    }

    /**
     * @method
     * @name openperp#unWatchTickers
     * @description unWatches price tickers
     * @param {string[]} [symbols] unified symbols of the markets to stop watching the tickers of
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {bool} true
     */
    async unWatchTickers (symbols: Strings = undefined, params: Dict = {}): Promise<any> {
        return await this.unWatchMarkets ('market.ticker', 'ticker', symbols);
    }

    /**
     * @method
     * @name openperp#unWatchBidsAsks
     * @description unWatches best bid & ask for symbols
     * @param {string[]} [symbols] unified symbols of the markets to stop watching
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {bool} true
     */
    async unWatchBidsAsks (symbols: Strings = undefined, params: Dict = {}): Promise<any> {
        return await this.unWatchMarkets ('market.book', 'bidask', symbols);
    }

    handleTicker (client: Client, feed: Dict, message: Dict) {
        //
        //     {
        //         "type": "update",
        //         "channel": "market.ticker",
        //         "marketId": "BTC-USD-PERP",
        //         "sequence": 1234,
        //         "previousSequence": 1230,
        //         "epochMs": 1763670000123,
        //         "data": {} // of fetchTicker: last trade, 24 hours, best prices, mark and index
        //     }
        //
        const symbol = this.safeString (feed, 'symbol');
        const ticker = this.extend (this.safeDict (message, 'data', {}), {
            'marketId': this.safeString (message, 'marketId'),
            'asOfEpochMs': this.safeInteger (message, 'epochMs'),
        });
        this.tickers[symbol] = this.parseTicker (ticker);
        this.tell (client, feed, 'ticker:' + symbol);
    }

    /**
     * @method
     * @name openperp#watchOrderBook
     * @description watches information on open orders with bid (buy) and ask (sell) prices, volumes and other data
     * @param {string} symbol unified symbol of the market to fetch the order book for
     * @param {int} [limit] the maximum amount of order book entries to return, the venue tells 50 of each side
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object} an [order book structure]{@link https://docs.ccxt.com/?id=order-book-structure}
     */
    async watchOrderBook (symbol: string, limit: Int = undefined, params: Dict = {}): Promise<OrderBook> {
        return await this.watchOrderBookForSymbols ([ symbol ], limit, params);
    }

    /**
     * @method
     * @name openperp#watchOrderBookForSymbols
     * @description watches information on open orders with bid (buy) and ask (sell) prices, volumes and other data
     * @param {string[]} symbols unified symbols of the markets to fetch the order book for
     * @param {int} [limit] the maximum amount of order book entries to return, the venue tells 50 of each side
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object} an [order book structure]{@link https://docs.ccxt.com/?id=order-book-structure}
     */
    async watchOrderBookForSymbols (symbols: string[], limit: Int = undefined, params: Dict = {}): Promise<OrderBook> {
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        const requested = this.requestedSymbols (symbols);
        const messageHashes = this.messageHashesOf ('orderbook', requested);
        const ready = await this.watchFeeds (this.marketFeeds ('market.book', requested), messageHashes);
        this.takeUnread (ready);
        const orderbook = this.orderbooks[this.symbolOf (ready)];
        return (limit === undefined) ? orderbook : this.limitedOrderBook (orderbook, limit);
    }

    /**
     * @method
     * @name openperp#unWatchOrderBook
     * @description unWatches information on open orders with bid (buy) and ask (sell) prices, volumes and other data
     * @param {string} symbol unified symbol of the market to stop watching the order book of
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {bool} true
     */
    async unWatchOrderBook (symbol: string, params: Dict = {}): Promise<any> {
        return await this.unWatchMarkets ('market.book', 'orderbook', [ symbol ]);
    }

    /**
     * @method
     * @name openperp#unWatchOrderBookForSymbols
     * @description unWatches information on open orders with bid (buy) and ask (sell) prices, volumes and other data
     * @param {string[]} symbols unified symbols of the markets to stop watching the order books of
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {bool} true
     */
    async unWatchOrderBookForSymbols (symbols: string[], params: Dict = {}): Promise<any> {
        return await this.unWatchMarkets ('market.book', 'orderbook', symbols);
    }

    limitedOrderBook (orderbook: Dict, limit: int): any {
        // another caller may want all of it
        return this.orderBook ({
            'symbol': orderbook['symbol'],
            'bids': this.firstLevels (orderbook['bids'], limit),
            'asks': this.firstLevels (orderbook['asks'], limit),
            'timestamp': orderbook['timestamp'],
            'datetime': orderbook['datetime'],
            'nonce': orderbook['nonce'],
        });
    }

    firstLevels (side: any, limit: int): number[][] {
        const length = Math.min (side.length, limit);
        const levels = [];
        for (let i = 0; i < length; i++) {
            levels.push ([ side[i][0], side[i][1] ]);
        }
        return levels;
    }

    handleOrderBook (client: Client, feed: Dict, message: Dict) {
        //
        //     {
        //         "type": "update",
        //         "channel": "market.book",
        //         "marketId": "BTC-USD-PERP",
        //         "sequence": 1234,
        //         "previousSequence": 1230,
        //         "epochMs": 1763670000123,
        //         "data": {
        //             "bids": [ [ "100000.1", "0.5" ] ],
        //             "asks": [ [ "100000.9", "0.4" ] ]
        //         }
        //     }
        //
        const symbol = this.safeString (feed, 'symbol');
        const timestamp = this.safeInteger (message, 'epochMs');
        const snapshot = this.parseOrderBook (this.safeDict (message, 'data', {}), symbol, timestamp);
        snapshot['nonce'] = this.safeInteger (message, 'sequence');
        if (!(symbol in this.orderbooks)) {
            this.orderbooks[symbol] = this.orderBook ();
        }
        const orderbook = this.orderbooks[symbol];
        orderbook.reset (snapshot);
        this.bidsasks[symbol] = this.parseBidAsk (snapshot, message);
        this.tell (client, feed, 'orderbook:' + symbol);
        this.tell (client, feed, 'bidask:' + symbol);
    }

    parseBidAsk (snapshot: Dict, message: Dict): Ticker {
        const symbol = snapshot['symbol'];
        const bid = this.safeList (snapshot['bids'], 0, []);
        const ask = this.safeList (snapshot['asks'], 0, []);
        return this.safeTicker ({
            'symbol': symbol,
            'timestamp': snapshot['timestamp'],
            'datetime': snapshot['datetime'],
            'bid': this.safeNumber (bid, 0),
            'bidVolume': this.safeNumber (bid, 1),
            'ask': this.safeNumber (ask, 0),
            'askVolume': this.safeNumber (ask, 1),
            'info': message,
        }, this.market (symbol));
    }

    /**
     * @method
     * @name openperp#watchTrades
     * @description watches information on multiple trades made in a market
     * @param {string} symbol unified symbol of the market to fetch trades for
     * @param {int} [since] the earliest time in ms to fetch trades for
     * @param {int} [limit] the maximum number of trades to retrieve
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object[]} a list of [trade structures]{@link https://docs.ccxt.com/?id=public-trades}
     */
    async watchTrades (symbol: string, since: Int = undefined, limit: Int = undefined, params: Dict = {}): Promise<Trade[]> {
        return await this.watchTradesForSymbols ([ symbol ], since, limit, params);
    }

    /**
     * @method
     * @name openperp#watchTradesForSymbols
     * @description watches information on multiple trades made in several markets, and returns those of one of them
     * @param {string[]} symbols unified symbols of the markets to fetch trades for
     * @param {int} [since] the earliest time in ms to fetch trades for
     * @param {int} [limit] the maximum number of trades to retrieve
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object[]} a list of [trade structures]{@link https://docs.ccxt.com/?id=public-trades}
     */
    async watchTradesForSymbols (symbols: string[], since: Int = undefined, limit: Int = undefined, params: Dict = {}): Promise<Trade[]> {
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        const requested = this.requestedSymbols (symbols);
        const messageHashes = this.messageHashesOf ('trades', requested);
        const ready = await this.watchFeeds (this.marketFeeds ('market.trades', requested), messageHashes);
        this.takeUnread (ready);
        const symbol = this.symbolOf (ready);
        const trades = this.trades[symbol];
        if (this.newUpdates) {
            limit = trades.getLimit (symbol, limit);
        }
        return this.filterBySinceLimit (trades, since, limit, 'timestamp', true);
    }

    /**
     * @method
     * @name openperp#unWatchTrades
     * @description unWatches trades made in a market
     * @param {string} symbol unified symbol of the market to stop watching the trades of
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {bool} true
     */
    async unWatchTrades (symbol: string, params: Dict = {}): Promise<any> {
        return await this.unWatchMarkets ('market.trades', 'trades', [ symbol ]);
    }

    /**
     * @method
     * @name openperp#unWatchTradesForSymbols
     * @description unWatches trades made in several markets
     * @param {string[]} symbols unified symbols of the markets to stop watching the trades of
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {bool} true
     */
    async unWatchTradesForSymbols (symbols: string[], params: Dict = {}): Promise<any> {
        return await this.unWatchMarkets ('market.trades', 'trades', symbols);
    }

    handleTrades (client: Client, feed: Dict, message: Dict) {
        //
        //     {
        //         "type": "update",
        //         "channel": "market.trades",
        //         "marketId": "BTC-USD-PERP",
        //         "sequence": 1234,
        //         "previousSequence": 1230,
        //         "epochMs": 1763670000123,
        //         "data": { "trades": [] } // see parseTrade
        //     }
        //
        const data = this.safeDict (message, 'data', {});
        this.storeTrades (client, feed, this.safeList (data, 'trades', []));
    }

    storeTrades (client: Client, feed: Dict, trades: any[]) {
        const symbol = this.safeString (feed, 'symbol');
        const limit = this.safeInteger (this.options, 'tradesLimit', 1000);
        if (!(symbol in this.trades)) {
            this.trades[symbol] = new ArrayCache (limit);
        }
        const messageHash = 'trades:' + symbol;
        for (let i = 0; i < trades.length; i++) {
            this.storeRow (feed, this.trades[symbol], limit, this.parseTrade (trades[i]), false, [ messageHash ]);
        }
        this.tell (client, feed, messageHash);
    }

    async healTrades (client: Client, feed: Dict) {
        const held = this.safeInteger (feed['held'], 'market.trades');
        const limit = this.safeInteger (this.options, 'tradesLimit', 1000);
        const missed = await this.fetchMissed ('publicGetV1MarketsMarketIdTrades', 'trades', feed['request'], held, limit);
        if (this.isStale (client, feed)) {
            return;
        }
        this.noteTruncated (feed, missed);
        this.storeTrades (client, feed, missed['rows']);
        feed['held']['market.trades'] = missed['sequence'];
    }

    /**
     * @method
     * @name openperp#watchOHLCV
     * @description watches historical candlestick data containing the open, high, low, and close price, and the volume of a market
     * @param {string} symbol unified symbol of the market to fetch OHLCV data for
     * @param {string} timeframe the length of time each candle represents
     * @param {int} [since] timestamp in ms of the earliest candle to fetch
     * @param {int} [limit] the maximum amount of candles to fetch
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @param {string} [params.price] "index" for candles of the index price
     * @returns {int[][]} A list of candles ordered as timestamp, open, high, low, close, volume
     */
    async watchOHLCV (symbol: string, timeframe: string = '1m', since: Int = undefined, limit: Int = undefined, params: Dict = {}): Promise<OHLCV[]> {
        const market = await this.loadMarket (symbol);
        const candles = await this.watchOHLCVForSymbols ([ [ market['symbol'], timeframe ] ], since, limit, params);
        return candles[market['symbol']][timeframe];
    }

    /**
     * @method
     * @name openperp#watchOHLCVForSymbols
     * @description watches historical candlestick data containing the open, high, low, and close price, and the volume of several markets, and returns the candles of one of them
     * @param {string[][]} symbolsAndTimeframes array of arrays containing unified symbols and timeframes to fetch OHLCV data for, example [['BTC/USD.E:USD.E', '1m'], ['ETH/USD.E:USD.E', '5m']]
     * @param {int} [since] timestamp in ms of the earliest candle to fetch
     * @param {int} [limit] the maximum amount of candles to fetch
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @param {string} [params.price] "index" for candles of the index price
     * @returns {object} a dictionary by symbol and timeframe of lists of candles ordered as timestamp, open, high, low, close, volume
     */
    async watchOHLCVForSymbols (symbolsAndTimeframes: string[][], since: Int = undefined, limit: Int = undefined, params: Dict = {}) {
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        const feeds = this.candleFeeds (symbolsAndTimeframes, params);
        const messageHashes = this.candleHashes (feeds);
        const ready = await this.watchFeeds (feeds, messageHashes);
        this.takeUnread (ready);
        let feed = feeds[0];
        for (let i = 0; i < feeds.length; i++) {
            if (messageHashes[i] === ready) {
                feed = feeds[i];
            }
        }
        const symbol = this.safeString (feed, 'symbol');
        const candles = this.ohlcvs[symbol][this.safeString (feed, 'key')];
        if (this.newUpdates) {
            limit = candles.getLimit (symbol, limit);
        }
        const filtered = this.filterBySinceLimit (candles, since, limit, 0, true);
        return this.createOHLCVObject (symbol, this.safeString (feed, 'timeframe'), filtered);
    }

    /**
     * @method
     * @name openperp#unWatchOHLCV
     * @description unWatches historical candlestick data containing the open, high, low, and close price, and the volume of a market
     * @param {string} symbol unified symbol of the market to stop watching the candles of
     * @param {string} timeframe the length of time each candle represents
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @param {string} [params.price] "index" for candles of the index price
     * @returns {bool} true
     */
    async unWatchOHLCV (symbol: string, timeframe: string = '1m', params: Dict = {}): Promise<any> {
        return await this.unWatchOHLCVForSymbols ([ [ symbol, timeframe ] ], params);
    }

    /**
     * @method
     * @name openperp#unWatchOHLCVForSymbols
     * @description unWatches historical candlestick data containing the open, high, low, and close price, and the volume of several markets
     * @param {string[][]} symbolsAndTimeframes array of arrays containing unified symbols and timeframes to stop watching
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @param {string} [params.price] "index" for candles of the index price
     * @returns {bool} true
     */
    async unWatchOHLCVForSymbols (symbolsAndTimeframes: string[][], params: Dict = {}): Promise<any> {
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        const feeds = this.candleFeeds (symbolsAndTimeframes, params);
        const messageHashes = this.candleHashes (feeds);
        for (let i = 0; i < feeds.length; i++) {
            await this.unWatchFeed (feeds[i], [ messageHashes[i] ]);
        }
        return true;
    }

    candleFeeds (symbolsAndTimeframes: string[][], params: Dict = {}): Dict[] {
        const price = this.safeString (params, 'price');
        if ((price !== undefined) && (price !== 'index')) {
            throw new NotSupported (this.id + ' watchOHLCV() supports candles of trades and of the index price only');
        }
        const feeds = [];
        for (let i = 0; i < symbolsAndTimeframes.length; i++) {
            const market = this.market (this.safeString (symbolsAndTimeframes[i], 0));
            const timeframe = this.safeString (symbolsAndTimeframes[i], 1);
            const interval = this.safeString (this.timeframes, timeframe);
            if (interval === undefined) {
                throw new NotSupported (this.id + ' watchOHLCV() does not support the timeframe ' + timeframe);
            }
            const series = (price === 'index') ? 'index' : 'trade';
            const feed = this.createFeed ([ 'market.candles' ], {
                'marketId': market['id'],
                'series': series,
                'timeframe': interval,
            });
            feed['symbol'] = market['symbol'];
            feed['timeframe'] = timeframe;
            feed['key'] = timeframe; // in this.ohlcvs
            if (price === 'index') {
                feed['key'] = 'index:' + timeframe;
            }
            feeds.push (feed);
        }
        return feeds;
    }

    candleHashes (feeds: Dict[]): string[] {
        const messageHashes = [];
        for (let i = 0; i < feeds.length; i++) {
            messageHashes.push ('ohlcv:' + feeds[i]['key'] + '::' + feeds[i]['symbol']);
        }
        return messageHashes;
    }

    handleOHLCV (client: Client, feed: Dict, message: Dict) {
        //
        //     {
        //         "type": "update",
        //         "channel": "market.candles",
        //         "marketId": "BTC-USD-PERP",
        //         "series": "trade",
        //         "timeframe": "1m",
        //         "sequence": 1234,
        //         "previousSequence": 1230,
        //         "epochMs": 1763670000123,
        //         "data": { "candles": [] } // see parseOHLCV
        //     }
        //
        const data = this.safeDict (message, 'data', {});
        this.storeCandles (client, feed, this.safeList (data, 'candles', []));
    }

    storeCandles (client: Client, feed: Dict, candles: any[]) {
        const symbol = this.safeString (feed, 'symbol');
        const key = this.safeString (feed, 'key');
        const limit = this.safeInteger (this.options, 'OHLCVLimit', 1000);
        if (!(symbol in this.ohlcvs)) {
            this.ohlcvs[symbol] = {};
        }
        if (!(key in this.ohlcvs[symbol])) {
            this.ohlcvs[symbol][key] = new ArrayCacheByTimestamp (limit);
        }
        const stored: any = this.ohlcvs[symbol][key];
        const messageHashes = this.candleHashes ([ feed ]);
        for (let i = 0; i < candles.length; i++) {
            const candle = this.parseOHLCV (candles[i]);
            this.storeRow (feed, stored, limit, candle, (candle[0] in stored.hashmap), messageHashes);
        }
        this.tell (client, feed, messageHashes[0]);
    }

    async healOHLCV (client: Client, feed: Dict) {
        const pageLength = 1000;
        const bySymbol = this.safeValue (this.ohlcvs, feed['symbol'], {});
        const stored = this.safeValue (bySymbol, feed['key'], []);
        const storedLength = stored.length;
        const request = this.extend (feed['request'], { 'limit': pageLength });
        if (storedLength > 0) {
            // it may have changed too
            request['since'] = stored[storedLength - 1][0];
        }
        let hasMore = true;
        let sequence = undefined;
        while (hasMore) {
            const response = await this.publicGetV1MarketsMarketIdCandles (request);
            if (this.isStale (client, feed)) {
                return;
            }
            // a candle that a later page shows has what came meanwhile, and is told whole again
            if (sequence === undefined) {
                sequence = this.safeInteger (response, 'sequence');
            }
            const candles = this.safeList (response, 'candles', []);
            this.storeCandles (client, feed, candles);
            const length = candles.length;
            hasMore = (storedLength > 0) && (length === pageLength);
            if (hasMore) {
                request['since'] = this.sum (this.safeInteger (candles[length - 1], 'openTimeEpochMs'), 1);
            }
        }
        feed['held']['market.candles'] = sequence;
    }

    /**
     * @method
     * @name openperp#watchOrders
     * @description watches information on multiple orders made by the user
     * @param {string} [symbol] unified market symbol of the market orders were made in
     * @param {int} [since] the earliest time in ms to fetch orders for
     * @param {int} [limit] the maximum number of order structures to retrieve
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object[]} a list of [order structures]{@link https://docs.ccxt.com/?id=order-structure}
     */
    async watchOrders (symbol: Str = undefined, since: Int = undefined, limit: Int = undefined, params: Dict = {}): Promise<Order[]> {
        const messageHash = await this.accountHash ('orders', symbol);
        await this.watchFeeds ([ this.createFeed ([ 'account.orders' ]) ], [ messageHash ]);
        this.takeUnread (messageHash);
        return this.newRows (this.orders, this.symbolOf (messageHash), since, limit);
    }

    /**
     * @method
     * @name openperp#unWatchOrders
     * @description unWatches information on multiple orders made by the user
     * @param {string} [symbol] unified market symbol, all that is watched if it is not given
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {bool} true
     */
    async unWatchOrders (symbol: Str = undefined, params: Dict = {}): Promise<any> {
        const messageHash = await this.accountHash ('orders', symbol);
        const feed = this.createFeed ([ 'account.orders' ]);
        const messageHashes = (symbol === undefined) ? Object.keys (feed['uses']) : [ messageHash ];
        return await this.unWatchFeed (feed, messageHashes);
    }

    handleOrders (client: Client, feed: Dict, message: Dict) {
        //
        //     {
        //         "type": "update",
        //         "channel": "account.orders",
        //         "accountId": "acct-1",
        //         "sequence": 1234,
        //         "previousSequence": 1230,
        //         "epochMs": 1763670000123,
        //         "data": { "orders": [] } // see parseOrder
        //     }
        //
        const data = this.safeDict (message, 'data', {});
        this.storeOrders (client, feed, this.safeList (data, 'orders', []));
    }

    storeOrders (client: Client, feed: Dict, orders: any[]) {
        const limit = this.safeInteger (this.options, 'ordersLimit', 1000);
        if (this.orders === undefined) {
            this.orders = new ArrayCacheBySymbolById (limit);
        }
        const touched: Dict = {};
        for (let i = 0; i < orders.length; i++) {
            const order = this.parseOrder (orders[i]);
            const symbol = order['symbol'];
            const stored: any = this.orders;
            const known = this.safeDict (this.safeDict (stored.hashmap, symbol, {}), order['id']);
            if (known !== undefined) {
                // one that was read may be newer than one that is replayed
                const knownSequence = this.safeInteger (known['info'], 'lastSequence');
                if (knownSequence >= this.safeInteger (orders[i], 'lastSequence')) {
                    continue;
                }
            }
            this.noteOpenOrder (feed, orders[i]);
            this.storeRow (feed, this.orders, limit, order, (known !== undefined), [ 'orders', 'orders::' + symbol ]);
            touched[symbol] = true;
        }
        this.tellSymbols (client, feed, 'orders', Object.keys (touched));
    }

    noteOpenOrder (feed: Dict, order: Dict) {
        // what is open is known, so that what ends while nothing is heard can be found
        const id = this.safeString (order, 'orderId');
        if (this.safeString (order, 'status') === 'open') {
            feed['open'][id] = true;
        } else {
            this.forget (feed['open'], id);
        }
        const newest = this.safeString (feed, 'newestId', '0');
        if (Precise.stringGt (id, newest)) {
            feed['newestId'] = id;
        }
    }

    async loadOrders (client: Client, feed: Dict) {
        // not told to anybody: the first to be watched are those that change from now on
        const request: Dict = {
            'accountId': await this.loadAccountId (),
        };
        const newest = await this.privateGetV1AccountsAccountIdOrders (this.extend (request, { 'limit': 1 }));
        const open = await this.fetchPages ('privateGetV1AccountsAccountIdOrdersOpen', 'orders', request);
        if (this.isStale (client, feed)) {
            return;
        }
        feed['open'] = {};
        const rows = this.arrayConcat (this.safeList (newest, 'orders', []), open['rows']);
        for (let i = 0; i < rows.length; i++) {
            this.noteOpenOrder (feed, rows[i]);
        }
        feed['held']['account.orders'] = open['sequence'];
    }

    async healOrders (client: Client, feed: Dict) {
        const held = this.safeInteger (feed['held'], 'account.orders');
        const newestId = this.safeString (feed, 'newestId', '0');
        const limit = this.safeInteger (this.options, 'ordersLimit', 1000);
        const request: Dict = {
            'accountId': await this.loadAccountId (),
        };
        const placed = await this.fetchPages ('privateGetV1AccountsAccountIdOrders', 'orders', request, 'orderId', newestId, limit);
        const open = await this.fetchPages ('privateGetV1AccountsAccountIdOrdersOpen', 'orders', request);
        const rows = this.arrayConcat (placed['rows'], open['rows']);
        const found = this.indexBy (rows, 'orderId');
        const known = Object.keys (feed['open']);
        for (let i = 0; i < known.length; i++) {
            if (!(known[i] in found)) {
                const ended = await this.privateGetV1OrdersOrderId ({ 'orderId': known[i] });
                rows.push (ended);
            }
        }
        if (this.isStale (client, feed)) {
            return;
        }
        this.noteTruncated (feed, placed);
        const changed = [];
        for (let i = 0; i < rows.length; i++) {
            if (this.safeInteger (rows[i], 'lastSequence') > held) {
                changed.push (rows[i]);
            }
        }
        this.storeOrders (client, feed, this.sortBy (changed, 'lastSequence'));
        // of the first page of the first list: what the others show beyond it is told again, and known by its lastSequence
        feed['held']['account.orders'] = placed['sequence'];
    }

    /**
     * @method
     * @name openperp#watchMyTrades
     * @description watches information on multiple trades made by the user
     * @param {string} [symbol] unified market symbol of the market trades were made in
     * @param {int} [since] the earliest time in ms to fetch trades for
     * @param {int} [limit] the maximum number of trade structures to retrieve
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object[]} a list of [trade structures]{@link https://docs.ccxt.com/?id=trade-structure}
     */
    async watchMyTrades (symbol: Str = undefined, since: Int = undefined, limit: Int = undefined, params: Dict = {}): Promise<Trade[]> {
        const messageHash = await this.accountHash ('myTrades', symbol);
        await this.watchFeeds ([ this.createFeed ([ 'account.fills' ]) ], [ messageHash ]);
        this.takeUnread (messageHash);
        return this.newRows (this.myTrades, this.symbolOf (messageHash), since, limit);
    }

    /**
     * @method
     * @name openperp#unWatchMyTrades
     * @description unWatches information on multiple trades made by the user
     * @param {string} [symbol] unified market symbol, all that is watched if it is not given
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {bool} true
     */
    async unWatchMyTrades (symbol: Str = undefined, params: Dict = {}): Promise<any> {
        const messageHash = await this.accountHash ('myTrades', symbol);
        const feed = this.createFeed ([ 'account.fills' ]);
        const messageHashes = (symbol === undefined) ? Object.keys (feed['uses']) : [ messageHash ];
        return await this.unWatchFeed (feed, messageHashes);
    }

    handleMyTrades (client: Client, feed: Dict, message: Dict) {
        //
        //     {
        //         "type": "update",
        //         "channel": "account.fills",
        //         "accountId": "acct-1",
        //         "sequence": 1234,
        //         "previousSequence": 1230,
        //         "epochMs": 1763670000123,
        //         "data": { "fills": [] } // see parseTrade
        //     }
        //
        const data = this.safeDict (message, 'data', {});
        this.storeMyTrades (client, feed, this.safeList (data, 'fills', []));
    }

    storeMyTrades (client: Client, feed: Dict, fills: any[]) {
        const limit = this.safeInteger (this.options, 'myTradesLimit', 1000);
        if (this.myTrades === undefined) {
            this.myTrades = new ArrayCache (limit);
        }
        const touched: Dict = {};
        for (let i = 0; i < fills.length; i++) {
            const trade = this.parseTrade (fills[i]);
            const symbol = trade['symbol'];
            this.storeRow (feed, this.myTrades, limit, trade, false, [ 'myTrades', 'myTrades::' + symbol ]);
            touched[symbol] = true;
        }
        this.tellSymbols (client, feed, 'myTrades', Object.keys (touched));
    }

    async healMyTrades (client: Client, feed: Dict) {
        const held = this.safeInteger (feed['held'], 'account.fills');
        const limit = this.safeInteger (this.options, 'myTradesLimit', 1000);
        const request: Dict = {
            'accountId': await this.loadAccountId (),
        };
        const missed = await this.fetchMissed ('privateGetV1AccountsAccountIdFills', 'fills', request, held, limit);
        if (this.isStale (client, feed)) {
            return;
        }
        this.noteTruncated (feed, missed);
        this.storeMyTrades (client, feed, missed['rows']);
        feed['held']['account.fills'] = missed['sequence'];
    }

    /**
     * @method
     * @name openperp#watchPositions
     * @description watches open positions: those that there are at once, then those that an order, funding or their mark price changes, one that was closed with 0 contracts
     * @param {string[]} [symbols] list of unified market symbols
     * @param {int} [since] the earliest time in ms to fetch positions for
     * @param {int} [limit] the maximum number of positions to retrieve
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object[]} a list of [position structures]{@link https://docs.ccxt.com/?id=position-structure}
     */
    async watchPositions (symbols: Strings = undefined, since: Int = undefined, limit: Int = undefined, params: Dict = {}): Promise<Position[]> {
        const messageHashes = await this.positionHashes (symbols);
        symbols = this.positionSymbols (symbols);
        await this.watchFeeds ([ this.createFeed ([ 'account.positions', 'account.pnl' ]) ], messageHashes);
        let changed: Dict = {};
        for (let i = 0; i < messageHashes.length; i++) {
            changed = this.extend (changed, this.takeUnread (messageHashes[i]));
        }
        const positions = (this.positions === undefined) ? [] : this.positions;
        const hasChanged = !this.isEmpty (changed);
        const result = [];
        for (let i = 0; i < positions.length; i++) {
            if (!this.newUpdates || !hasChanged || (this.rowKey (positions[i]) in changed)) {
                result.push (positions[i]);
            }
        }
        return this.filterBySymbolsSinceLimit (this.sortBy (result, 'timestamp'), symbols, since, limit, true);
    }

    /**
     * @method
     * @name openperp#unWatchPositions
     * @description unWatches open positions
     * @param {string[]} [symbols] list of unified market symbols, all that is watched if it is not given
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {bool} true
     */
    async unWatchPositions (symbols: Strings = undefined, params: Dict = {}): Promise<any> {
        let messageHashes = await this.positionHashes (symbols);
        const feed = this.createFeed ([ 'account.positions', 'account.pnl' ]);
        if (this.positionSymbols (symbols) === undefined) {
            messageHashes = Object.keys (feed['uses']);
        }
        return await this.unWatchFeed (feed, messageHashes);
    }

    positionSymbols (symbols: Strings = undefined): Strings {
        if (symbols !== undefined) {
            const symbolsLength = symbols.length;
            if (symbolsLength === 0) {
                return undefined;
            }
        }
        return this.marketSymbols (symbols);
    }

    async positionHashes (symbols: Strings = undefined): Promise<string[]> {
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        symbols = this.positionSymbols (symbols);
        if (symbols === undefined) {
            return [ 'positions' ];
        }
        return this.messageHashesOf ('positions:', symbols);
    }

    async loadPositions (client: Client, feed: Dict) {
        const request: Dict = {
            'accountId': await this.loadAccountId (),
        };
        const response = await this.privateGetV1AccountsAccountIdPositions (request);
        if (this.isStale (client, feed)) {
            return;
        }
        const sequence = this.safeInteger (this.safeDict (response, 'resync', {}), 'fromSequence');
        const before = this.safeDict (feed, 'positions', {});
        const rows = this.safeList (response, 'positions', []);
        const now = this.indexBy (rows, 'positionId');
        feed['positions'] = {};
        feed['marks'] = {};
        // one that was closed, before one that was opened on the same side since
        const ids = Object.keys (before);
        for (let i = 0; i < ids.length; i++) {
            if (!(ids[i] in now)) {
                this.storePosition (feed, this.closedPosition (before[ids[i]]), sequence);
            }
        }
        for (let i = 0; i < rows.length; i++) {
            this.storePosition (feed, rows[i], sequence);
        }
        feed['held']['account.positions'] = sequence;
        feed['held']['account.pnl'] = sequence;
        this.tellAll (client, feed);
    }

    handlePositions (client: Client, feed: Dict, message: Dict) {
        //
        //     {
        //         "type": "update",
        //         "channel": "account.positions",
        //         "accountId": "acct-1",
        //         "sequence": 1234,
        //         "previousSequence": 1230,
        //         "epochMs": 1763670000123,
        //         "data": {
        //             "positions": [], // see parsePosition, those that were closed with the status "closed"
        //             "riskChanges": [] // a new mark, which account.pnl tells too
        //         }
        //     }
        //
        const data = this.safeDict (message, 'data', {});
        const rows = this.safeList (data, 'positions', []);
        const touched: Dict = {};
        for (let i = 0; i < rows.length; i++) {
            const symbol = this.storePosition (feed, rows[i], this.safeInteger (message, 'sequence'));
            touched[symbol] = true;
        }
        this.tellSymbols (client, feed, 'positions', Object.keys (touched));
    }

    handlePnl (client: Client, feed: Dict, message: Dict) {
        //
        //     {
        //         "type": "update",
        //         "channel": "account.pnl",
        //         "accountId": "acct-1",
        //         "sequence": 1234,
        //         "previousSequence": 1230,
        //         "epochMs": 1763670000123,
        //         "data": {
        //             "positions": [
        //                 {
        //                     "positionId": "3",
        //                     "marketId": "BTC-USD-PERP",
        //                     "cause": "mark", // or "position", which account.positions tells too
        //                     "signedBaseAtoms": "10000",
        //                     "realizedPnlAtoms": "0",
        //                     "realizedPnl": "0",
        //                     "feesPaidAtoms": "5000025",
        //                     "fundingPaidAtoms": "0",
        //                     "unrealizedPnlAtoms": "70000",
        //                     "unrealizedPnl": "0.07",
        //                     "markPriceAtoms": "1000012"
        //                 }
        //             ]
        //         }
        //     }
        //
        const data = this.safeDict (message, 'data', {});
        const rows = this.safeList (data, 'positions', []);
        const touched: Dict = {};
        for (let i = 0; i < rows.length; i++) {
            const atoms = this.safeString (rows[i], 'markPriceAtoms');
            if ((this.safeString (rows[i], 'cause') !== 'mark') || (atoms === undefined)) {
                continue;
            }
            const market = this.safeMarket (this.safeString (rows[i], 'marketId'));
            const tick = this.parsePrecision (this.safeString (market['info'], 'priceScale'));
            feed['marks'][market['id']] = {
                'sequence': this.safeInteger (message, 'sequence'),
                'price': Precise.stringMul (atoms, tick),
            };
            // the two channels are told one after the other: of one that is not known yet account.positions tells next
            const known = this.safeDict (feed['positions'], this.safeString (rows[i], 'positionId'));
            if (known !== undefined) {
                const symbol = this.storePosition (feed, known['row'], known['sequence']);
                touched[symbol] = true;
            }
        }
        this.tellSymbols (client, feed, 'positions', Object.keys (touched));
    }

    storePosition (feed: Dict, row: Dict, sequence: Int): string {
        const id = this.safeString (row, 'positionId');
        if (this.safeString (row, 'status') === 'closed') {
            this.forget (feed['positions'], id);
        } else {
            feed['positions'][id] = { 'row': row, 'sequence': sequence };
        }
        if (this.positions === undefined) {
            this.positions = new ArrayCacheBySymbolBySide ();
        }
        const position = this.parsePosition (this.markedPosition (feed, row, sequence));
        const symbol = position['symbol'];
        this.positions.append (position);
        this.noteUnread (feed, this.rowKey (position), [ 'positions', 'positions::' + symbol ]);
        return symbol;
    }

    closedPosition (known: Dict): Dict {
        const durable = this.omit (known['row'], this.riskFields ());
        return this.extend (durable, {
            'status': 'closed',
            'currentQuantity': '0',
            'entryNotional': '0',
            'margin': '0',
        });
    }

    markedPosition (feed: Dict, row: Dict, sequence: Int): Dict {
        // a position as it is at the newest mark, by the rules that the venue publishes with a market
        const marketId = this.safeString (row, 'marketId');
        const mark = this.safeDict (feed['marks'], marketId);
        const isClosed = (this.safeString (row, 'status') === 'closed');
        if (isClosed || (mark === undefined) || (mark['sequence'] <= sequence)) {
            return row;
        }
        const notional = Precise.stringMul (this.safeString (row, 'currentQuantity'), mark['price']);
        const gain = Precise.stringSub (notional, this.safeString (row, 'entryNotional'));
        const isLong = (this.safeString (row, 'side') === 'long');
        const unrealizedPnl = (isLong) ? gain : Precise.stringNeg (gain);
        const liquidationPrice = this.safeString (row, 'liquidationPrice');
        const marked: Dict = {
            'markPrice': mark['price'],
            'unrealizedPnl': unrealizedPnl,
            'maintenanceRequirement': this.maintenanceRequirement (notional, this.safeMarket (marketId)),
        };
        if (liquidationPrice !== undefined) {
            marked['liquidationPrice'] = liquidationPrice; // no mark changes it
        }
        return this.extend (this.omit (row, this.riskFields ()), marked);
    }

    riskFields (): string[] {
        return [ 'markPriceAtoms', 'markPrice', 'unrealizedPnlAtoms', 'unrealizedPnl', 'liquidationPriceAtoms', 'liquidationPrice', 'marginHealthBps', 'equityAtoms', 'maintenanceRequirementAtoms', 'maintenanceRequirement', 'marginStatus', 'riskAsOfMarketDataSequence', 'liquidationTierConsistent', 'adlIndicator', 'riskEvidence' ];
    }

    maintenanceRequirement (notional: string, market: Market): string {
        // each tier's share of the part of the notional inside of it, rounded up to the atom once
        const info = market['info'];
        const atom = this.parsePrecision (this.safeString (info, 'settlementAssetDecimals'));
        const notionalAtoms = Precise.stringDiv (notional, atom, 0);
        const tiers = this.safeList (info, 'maintenanceMarginTiers', []);
        let rate = '0';
        let relief = '0';
        for (let i = 0; i < tiers.length; i++) {
            const threshold = this.safeString (tiers[i], 'notionalThresholdAtoms');
            if (Precise.stringGt (threshold, notionalAtoms)) {
                break;
            }
            const next = this.safeString (tiers[i], 'maintenanceMarginBps');
            relief = Precise.stringAdd (relief, Precise.stringMul (threshold, Precise.stringSub (next, rate)));
            rate = next;
        }
        const share = Precise.stringSub (Precise.stringMul (notionalAtoms, rate), relief);
        let requirement = Precise.stringDiv (share, '10000', 0);
        if (Precise.stringGt (share, Precise.stringMul (requirement, '10000'))) {
            requirement = Precise.stringAdd (requirement, '1');
        }
        return Precise.stringMul (requirement, atom);
    }

    /**
     * @method
     * @name openperp#watchBalance
     * @description watches balance: as it is at once, then with every change
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object} a [balance structure]{@link https://docs.ccxt.com/?id=balance-structure}
     */
    async watchBalance (params: Dict = {}): Promise<Balances> {
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        const messageHash = 'balance';
        await this.watchFeeds ([ this.createFeed ([ 'account.margin' ]) ], [ messageHash ]);
        this.takeUnread (messageHash);
        return this.balance as Balances;
    }

    /**
     * @method
     * @name openperp#unWatchBalance
     * @description unWatches balance
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {bool} true
     */
    async unWatchBalance (params: Dict = {}): Promise<any> {
        return await this.unWatchFeed (this.createFeed ([ 'account.margin' ]), [ 'balance' ]);
    }

    async loadBalance (client: Client, feed: Dict) {
        const response = await this.fetchAccountSnapshot ();
        if (this.isStale (client, feed)) {
            return;
        }
        feed['held']['account.margin'] = this.safeInteger (response, 'snapshotSequence');
        this.storeBalance (client, feed, response);
    }

    async fetchAccountSnapshot (): Promise<Dict> {
        const request: Dict = {
            'accountId': await this.loadAccountId (),
        };
        return await this.privateGetV1AccountsAccountId (request);
    }

    handleMargin (client: Client, feed: Dict, message: Dict) {
        //
        //     {
        //         "type": "update",
        //         "channel": "account.margin",
        //         "accountId": "acct-1",
        //         "sequence": 1234,
        //         "previousSequence": 1230,
        //         "epochMs": 1763670000123,
        //         "data": {
        //             "kind": "values", // or "digest", with nothing but the digest and the evidence
        //             "riskEvidence": { "status": "complete" },
        //             "cashBalanceAtoms": "9000000000",
        //             "equityAtoms": "10012500000",
        //             "availableForOrdersAtoms": "8500000000",
        //             "reservedForOrdersAtoms": "500000000",
        //             "positionMarginAtoms": "1000000000",
        //             "readModelDigest": "sha256:...",
        //             "riskStateDigest": "sha256:..."
        //         }
        //     }
        //
        const data = this.safeDict (message, 'data', {});
        const sequence = this.safeInteger (message, 'sequence');
        if (this.safeString (data, 'kind') !== 'values') {
            this.spawn (this.refreshBalance, client, feed);
            return;
        }
        const before = feed['account'];
        const markets = this.toArray (this.markets);
        const first = this.safeDict (markets, 0, {});
        const atom = this.parsePrecision (this.safeString (first['info'], 'settlementAssetDecimals'));
        this.storeBalance (client, feed, this.extend (data, {
            'accountId': this.safeString (message, 'accountId'),
            'asset': before['asset'],
            'snapshotSequence': sequence,
            'cashBalance': Precise.stringMul (this.safeString (data, 'cashBalanceAtoms'), atom),
            'equity': Precise.stringMul (this.safeString (data, 'equityAtoms'), atom),
            'availableForOrders': Precise.stringMul (this.safeString (data, 'availableForOrdersAtoms'), atom),
            'reservedForOrders': Precise.stringMul (this.safeString (data, 'reservedForOrdersAtoms'), atom),
            'positionMargin': Precise.stringMul (this.safeString (data, 'positionMarginAtoms'), atom),
            'freshness': { 'asOfEpochMs': this.safeInteger (message, 'epochMs') },
        }));
    }

    async refreshBalance (client: Client, feed: Dict) {
        // while no mark holds the venue tells that there is something new, and not what
        feed['toRefresh'] = true;
        if (feed['isRefreshing'] === true) {
            return;
        }
        feed['isRefreshing'] = true;
        try {
            while (feed['toRefresh'] === true) {
                feed['toRefresh'] = false;
                const response = await this.fetchAccountSnapshot ();
                if (!this.isStale (client, feed)) {
                    this.storeBalance (client, feed, response);
                }
            }
        } catch (e) {
            this.failFeed (client, feed, e);
        }
        feed['isRefreshing'] = false;
    }

    storeBalance (client: Client, feed: Dict, account: Dict) {
        const before = this.safeDict (feed, 'account', {});
        if (this.safeInteger (before, 'snapshotSequence', 0) > this.safeInteger (account, 'snapshotSequence')) {
            return;
        }
        feed['account'] = account;
        const fields = [ 'cashBalance', 'availableForOrders', 'positionMargin' ];
        let isChanged = false;
        for (let i = 0; i < fields.length; i++) {
            const value = this.safeString (before, fields[i]);
            if ((value === undefined) || !Precise.stringEq (value, this.safeString (account, fields[i]))) {
                isChanged = true;
            }
        }
        this.balance = this.parseBalance (account);
        // what moves with the mark alone is no part of a balance
        if (isChanged) {
            this.tell (client, feed, 'balance');
        }
    }

    marketFeed (channel: string, market: Market): Dict {
        const feed = this.createFeed ([ channel ], { 'marketId': market['id'] });
        feed['symbol'] = market['symbol'];
        return feed;
    }

    marketFeeds (channel: string, symbols: string[]): Dict[] {
        const feeds = [];
        for (let i = 0; i < symbols.length; i++) {
            feeds.push (this.marketFeed (channel, this.market (symbols[i])));
        }
        return feeds;
    }

    createFeed (channels: string[], request: Dict = {}): Dict {
        const name = this.feedName (this.extend (request, { 'channel': channels[0] }));
        const known = this.safeDict (this.options['feeds'], name);
        if (known !== undefined) {
            return known;
        }
        // it is nobody's until it is watched
        return {
            'name': name,
            'channels': channels,
            'request': request,
            'uses': {}, // the message hashes that somebody has waited for
            'held': {}, // by channel, up to which sequence everything is known
            'live': {}, // by channel, whether updates of this subscription go on from there
            'isLoaded': false, // whether what updates are changes of was read
            'isHealing': false,
            'isRefreshing': false,
            'toRefresh': false,
            'isEnded': false,
            'open': {},
            'positions': {},
            'marks': {},
        };
    }

    feedName (message: Dict): string {
        const channel = this.safeString (message, 'channel');
        const marketId = this.safeString (message, 'marketId');
        if (marketId === undefined) {
            return (channel === 'account.pnl') ? 'account.positions' : channel;
        }
        const timeframe = this.safeString (message, 'timeframe');
        if (timeframe === undefined) {
            return channel + ':' + marketId;
        }
        return channel + ':' + marketId + ':' + this.safeString (message, 'series') + ':' + timeframe;
    }

    isPrivate (feed: Dict): boolean {
        return feed['name'].indexOf ('account.') === 0;
    }

    isNewestOnly (channel: string): boolean {
        // each update replaces the one before: there is nothing to miss
        return (channel === 'market.book') || (channel === 'market.ticker');
    }

    requestedSymbols (symbols: Strings = undefined): string[] {
        const requested = this.marketSymbols (symbols);
        return (requested === undefined) ? this.symbols : requested;
    }

    messageHashesOf (prefix: string, symbols: string[]): string[] {
        const messageHashes = [];
        for (let i = 0; i < symbols.length; i++) {
            messageHashes.push (prefix + ':' + symbols[i]);
        }
        return messageHashes;
    }

    symbolOf (messageHash: string): Str {
        const position = messageHash.indexOf (':');
        if (position < 0) {
            return undefined;
        }
        const symbol = messageHash.slice (position + 1);
        if (symbol.indexOf (':') === 0) {
            return symbol.slice (1);
        }
        return symbol;
    }

    async loadMarket (symbol: string): Promise<Market> {
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        return this.market (symbol);
    }

    async accountHash (name: string, symbol: Str = undefined): Promise<string> {
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        if (symbol === undefined) {
            return name;
        }
        const market = this.market (symbol);
        return name + '::' + market['symbol'];
    }

    async loadRealtimeUrl (): Promise<string> {
        let url = this.safeString (this.urls['api'], 'ws');
        if (url === undefined) {
            // the service has an address of its own, which the venue is asked for once, however many methods begin at once
            if (this.safeValue (this.options, 'realtimeUrl') === undefined) {
                this.options['realtimeUrl'] = this.spawn (this.fetchRealtimeUrl);
            }
            try {
                url = await this.options['realtimeUrl'];
            } catch (e) {
                this.options['realtimeUrl'] = undefined;
                throw e;
            }
            this.options['realtimeUrl'] = undefined;
            this.urls['api']['ws'] = url;
        }
        url = this.implodeHostname (url);
        if (url.indexOf ('ws://') === 0) {
            // without TLS a socket needs an agent of its own
            await this.loadHttpProxyAgent ();
        }
        return url;
    }

    async fetchRealtimeUrl (): Promise<string> {
        const response = await this.publicGetAsyncapiJson ();
        //
        //     {
        //         "asyncapi": "3.1.0",
        //         "servers": {
        //             "venue": { "host": "localhost:8081", "pathname": "/", "protocol": "ws" }
        //         }
        //     }
        //
        const servers = this.safeDict (response, 'servers', {});
        const server = this.safeDict (servers, 'venue', {});
        const host = this.safeString (server, 'host');
        if (host === undefined) {
            throw new ExchangeError (this.id + ' the venue does not say where its realtime service is, set exchange.urls["api"]["ws"]');
        }
        return this.safeString (server, 'protocol') + '://' + host + this.safeString (server, 'pathname', '');
    }

    async watchFeeds (feeds: Dict[], messageHashes: string[]): Promise<string> {
        const closings = this.safeInteger (this.options, 'closings', 0);
        const url = await this.loadRealtimeUrl ();
        if (this.safeInteger (this.options, 'closings', 0) !== closings) {
            throw new ExchangeClosedByUser (this.id + ' closedByUser'); // before there was a socket
        }
        for (let i = 0; i < messageHashes.length; i++) {
            // it came while nobody waited for it
            if (this.isUnread (messageHashes[i])) {
                return messageHashes[i];
            }
        }
        const future = this.watchMultiple (url, messageHashes);
        const client = this.client (url);
        let isPrivate = false;
        for (let i = 0; i < feeds.length; i++) {
            const name = feeds[i]['name'];
            // another call may have begun to watch it meanwhile
            const feed = this.safeDict (this.options['feeds'], name, feeds[i]);
            isPrivate = this.isPrivate (feed);
            this.options['feeds'][name] = feed;
            this.useFeed (client, feed, messageHashes);
            if (!(name in client.subscriptions)) {
                client.subscriptions[name] = true;
                this.spawn (this.openFeed, client, feed);
            }
        }
        try {
            return await future;
        } catch (e) {
            // what waits is rejected before anybody hears why the socket was closed
            const reason = this.exceptionMessage (e, false);
            if (isPrivate && (e instanceof NetworkError) && (reason.indexOf ('closing code 4005') >= 0)) {
                this.options['ticket'] = undefined;
                throw new AuthenticationError (this.id + ' the realtime tickets, or the API key that they come from, were revoked');
            }
            throw e;
        }
    }

    useFeed (client: Client, feed: Dict, messageHashes: string[]) {
        for (let i = 0; i < messageHashes.length; i++) {
            const messageHash = messageHashes[i];
            if (!(messageHash in feed['uses']) && this.isOfFeed (feed, messageHash)) {
                feed['uses'][messageHash] = true;
                if (feed['isLoaded'] === true) {
                    // who comes later is told how it stands too
                    this.tellState (client, feed, messageHash);
                }
            }
        }
    }

    isOfFeed (feed: Dict, messageHash: string): boolean {
        const symbol = this.safeString (feed, 'symbol');
        if (symbol === undefined) {
            return true;
        }
        const timeframe = this.safeString (feed, 'timeframe');
        if (timeframe !== undefined) {
            return this.inArray (messageHash, this.candleHashes ([ feed ]));
        }
        return this.symbolOf (messageHash) === symbol;
    }

    tellState (client: Client, feed: Dict, messageHash: string) {
        if (feed['name'] === 'account.margin') {
            this.tell (client, feed, messageHash);
        } else if (feed['name'] === 'account.positions') {
            const known = this.toArray (feed['positions']);
            for (let i = 0; i < known.length; i++) {
                const position = this.parsePosition (this.markedPosition (feed, known[i]['row'], known[i]['sequence']));
                const symbol = this.symbolOf (messageHash);
                if ((symbol === undefined) || (symbol === position['symbol'])) {
                    this.noteUnread (feed, this.rowKey (position), [ messageHash ]);
                }
            }
            this.tell (client, feed, messageHash);
        }
    }

    async openFeed (client: Client, feed: Dict) {
        feed['live'] = {};
        feed['isHealing'] = false;
        try {
            if (!('hello' in client.subscriptions)) {
                await client.future ('hello');
            }
            if (this.isPrivate (feed)) {
                await this.authenticate (client);
                if (feed['isLoaded'] !== true) {
                    await this.loadFeed (client, feed);
                    feed['isLoaded'] = true;
                }
            }
            await this.subscribeFeed (client, feed);
        } catch (e) {
            this.failFeed (client, feed, e);
        }
    }

    async loadFeed (client: Client, feed: Dict) {
        const name = feed['name'];
        if (name === 'account.orders') {
            await this.loadOrders (client, feed);
        } else if (name === 'account.positions') {
            await this.loadPositions (client, feed);
        } else if (name === 'account.margin') {
            await this.loadBalance (client, feed);
        }
    }

    async subscribeFeed (client: Client, feed: Dict) {
        if (this.isStale (client, feed)) {
            return;
        }
        const channels = feed['channels'];
        for (let i = 0; i < channels.length; i++) {
            const channel = channels[i];
            const subscribed = 'subscribed:' + feed['name'] + ':' + channel;
            if (subscribed in client.subscriptions) {
                // what may go on of it is ended, it is begun anew
                await this.sendFrame (client, this.subscriptionRequest ('unsubscribe', feed, channel, this.requestId ()));
            }
            client.subscriptions[subscribed] = true;
            const id = this.requestId ();
            const request = this.subscriptionRequest ('subscribe', feed, channel, id);
            const held = this.safeInteger (feed['held'], channel);
            if ((held !== undefined) && !this.isNewestOnly (channel)) {
                request['fromSequence'] = held;
            }
            client.subscriptions['request:' + id] = { 'feed': feed, 'channel': channel };
            await this.sendFrame (client, request);
        }
    }

    async subscribeLater (client: Client, feed: Dict) {
        // too much waits for clients that do not read: nothing is lost meanwhile
        await this.sleep (1000);
        try {
            await this.subscribeFeed (client, feed);
        } catch (e) {
            this.failFeed (client, feed, e);
        }
    }

    subscriptionRequest (operation: string, feed: Dict, channel: string, id: string): Dict {
        const request: Dict = {
            'op': operation,
            'channel': channel,
            'id': id,
        };
        if (this.isPrivate (feed)) {
            request['accountId'] = this.accountId;
        }
        return this.extend (request, feed['request']);
    }

    requestId (): string {
        const requestId = this.sum (this.safeInteger (this.options, 'requestId', 0), 1);
        this.options['requestId'] = requestId;
        return requestId.toString ();
    }

    async healFeed (client: Client, feed: Dict) {
        // what is missing is read, and the subscription begun anew from there
        if ((feed['isHealing'] === true) || this.isStale (client, feed)) {
            return;
        }
        feed['isHealing'] = true;
        feed['live'] = {};
        try {
            await this.readMissed (client, feed);
            feed['isHealing'] = false;
            await this.subscribeFeed (client, feed);
        } catch (e) {
            feed['isHealing'] = false;
            this.failFeed (client, feed, e);
        }
    }

    async readMissed (client: Client, feed: Dict) {
        const channel = feed['channels'][0];
        const methods: Dict = {
            'market.trades': this.healTrades,
            'market.candles': this.healOHLCV,
            'account.orders': this.healOrders,
            'account.fills': this.healMyTrades,
            'account.positions': this.loadPositions,
            'account.margin': this.loadBalance,
        };
        const method = this.safeValue (methods, channel);
        if (method !== undefined) {
            await method.call (this, client, feed);
        }
    }

    failFeed (client: Client, feed: Dict, error: any) {
        // who waits hears of it, and the next to watch tries again from what is held
        this.forget (client.subscriptions, feed['name']);
        if (!this.isStale (client, feed)) {
            feed['live'] = {};
        }
        const messageHashes = Object.keys (feed['uses']);
        for (let i = 0; i < messageHashes.length; i++) {
            client.reject (error, messageHashes[i]);
        }
    }

    isStale (client: Client, feed: Dict): boolean {
        return (feed['isEnded'] === true) || (this.safeValue (this.clients, client.url) !== client);
    }

    async fetchMissed (method: string, key: string, request: Dict, held: Int, limit: int): Promise<Dict> {
        // newest first, until what is held; oldest first then
        return await this.fetchPages (method, key, request, 'sequence', held.toString (), limit);
    }

    async fetchPages (method: string, key: string, request: Dict, field: Str = undefined, known: Str = undefined, limit: Int = undefined): Promise<Dict> {
        const result: Dict = {
            'rows': [],
            'sequence': undefined,
            'isTruncated': false,
        };
        let query = this.extend (request, { 'limit': 500 });
        const rows = [];
        let hasMore = true;
        while (hasMore) {
            const response = await this[method] (query);
            if (result['sequence'] === undefined) {
                const freshness = this.safeDict (response, 'freshness', {});
                result['sequence'] = this.safeInteger (response, 'sequence', this.safeInteger (freshness, 'journalSequence'));
            }
            const list = this.safeList (response, key, []);
            const cursor = this.safeString (response, 'nextCursor');
            hasMore = (cursor !== undefined);
            for (let i = 0; i < list.length; i++) {
                if ((field !== undefined) && !Precise.stringGt (this.safeString (list[i], field), known)) {
                    hasMore = false;
                    break;
                }
                rows.push (list[i]);
            }
            const length = rows.length;
            if (hasMore && (limit !== undefined) && (length >= limit)) {
                result['isTruncated'] = true;
                hasMore = false;
            }
            query = this.extend (query, { 'cursor': cursor });
        }
        const length = rows.length;
        for (let i = 0; i < length; i++) {
            result['rows'].push (rows[length - 1 - i]);
        }
        return result;
    }

    rowKey (row: any): string {
        if (Array.isArray (row)) {
            return this.numberToString (row[0]);
        }
        return this.safeString (row, 'symbol') + ':' + this.safeString (row, 'id', '') + ':' + this.safeString (row, 'side');
    }

    storeRow (feed: Dict, cache: any, limit: int, row: any, isKnown: boolean, messageHashes: string[]) {
        const length = cache.length;
        if (!isKnown && (length >= limit)) {
            this.noteEvicted (feed, this.rowKey (cache[0]));
        }
        cache.append (row);
        this.noteUnread (feed, this.rowKey (row), messageHashes);
    }

    noteUnread (feed: Dict, key: string, messageHashes: string[]) {
        for (let i = 0; i < messageHashes.length; i++) {
            const messageHash = messageHashes[i];
            if (messageHash in feed['uses']) {
                if (!(messageHash in this.options['unread'])) {
                    this.options['unread'][messageHash] = {};
                }
                this.options['unread'][messageHash][key] = true;
            }
        }
    }

    noteEvicted (feed: Dict, key: string) {
        const messageHashes = Object.keys (feed['uses']);
        for (let i = 0; i < messageHashes.length; i++) {
            const messageHash = messageHashes[i];
            const unread = this.safeDict (this.options['unread'], messageHash, {});
            if (key in unread) {
                delete unread[key];
                this.noteLost (messageHash);
            }
        }
    }

    noteTruncated (feed: Dict, pages: Dict) {
        if (pages['isTruncated'] === true) {
            const messageHashes = Object.keys (feed['uses']);
            for (let i = 0; i < messageHashes.length; i++) {
                this.noteLost (messageHashes[i]);
            }
        }
    }

    noteLost (messageHash: string) {
        this.options['lost'][messageHash] = this.sum (this.safeInteger (this.options['lost'], messageHash, 0), 1);
    }

    isUnread (messageHash: string): boolean {
        return (messageHash in this.options['unread']) || (messageHash in this.options['lost']);
    }

    takeUnread (messageHash: string): Dict {
        if (messageHash in this.options['lost']) {
            delete this.options['lost'][messageHash];
            throw new ExchangeError (this.id + ' more came for ' + messageHash + ' than is kept until it is read, and the oldest is lost: read it by the fetch method, and watch again for the rest. More is kept with a higher ordersLimit, myTradesLimit or tradesLimit in exchange.options');
        }
        const unread = this.safeDict (this.options['unread'], messageHash, {});
        this.forget (this.options['unread'], messageHash);
        return unread;
    }

    forget (dict: any, key: string) {
        if (key in dict) {
            delete dict[key];
        }
    }

    newRows (cache: any, symbol: Str, since: Int = undefined, limit: Int = undefined): any {
        if (this.newUpdates) {
            limit = cache.getLimit (symbol, limit);
        }
        // an old order that changes comes after younger ones
        return this.sortBy (this.filterBySymbolSinceLimit (cache, symbol, since, limit, true), 'timestamp');
    }

    tell (client: Client, feed: Dict, messageHash: string) {
        if (messageHash in feed['uses']) {
            if (!(messageHash in this.options['unread'])) {
                this.options['unread'][messageHash] = {};
            }
            client.resolve (messageHash, messageHash);
        }
    }

    tellSymbols (client: Client, feed: Dict, name: string, symbols: string[]) {
        const length = symbols.length;
        for (let i = 0; i < length; i++) {
            this.tell (client, feed, name + '::' + symbols[i]);
        }
        if (length > 0) {
            this.tell (client, feed, name);
        }
    }

    tellAll (client: Client, feed: Dict) {
        const messageHashes = Object.keys (feed['uses']);
        for (let i = 0; i < messageHashes.length; i++) {
            this.tell (client, feed, messageHashes[i]);
        }
    }

    async unWatchMarkets (channel: string, prefix: string, symbols: Strings = undefined): Promise<any> {
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        const requested = this.requestedSymbols (symbols);
        for (let i = 0; i < requested.length; i++) {
            const feed = this.marketFeed (channel, this.market (requested[i]));
            await this.unWatchFeed (feed, [ prefix + ':' + requested[i] ]);
        }
        return true;
    }

    async unWatchFeed (feed: Dict, messageHashes: string[]): Promise<any> {
        const url = await this.loadRealtimeUrl ();
        const client: any = this.safeValue (this.clients, url);
        for (let i = 0; i < messageHashes.length; i++) {
            const messageHash = messageHashes[i];
            this.forget (feed['uses'], messageHash);
            this.forget (this.options['unread'], messageHash);
            this.forget (this.options['lost'], messageHash);
            if (client !== undefined) {
                this.forget (client.rejections, messageHash);
                if (messageHash in client.futures) {
                    const error = new UnsubscribeError (this.id + ' ' + messageHash);
                    client.reject (error, messageHash);
                }
            }
        }
        const name = feed['name'];
        if (!this.isEmpty (feed['uses']) || !(name in this.options['feeds'])) {
            return true;
        }
        feed['isEnded'] = true;
        delete this.options['feeds'][name];
        this.cleanFeed (feed);
        if ((client === undefined) || !(name in client.subscriptions)) {
            return true;
        }
        delete client.subscriptions[name];
        if (!('hello' in client.subscriptions)) {
            return true;
        }
        // frames are answered in their order
        const channels = feed['channels'];
        let id = undefined;
        for (let i = 0; i < channels.length; i++) {
            id = this.requestId ();
            this.spawn (this.sendFrame, client, this.subscriptionRequest ('unsubscribe', feed, channels[i], id));
        }
        try {
            return await client.future ('unsubscribe:' + id);
        } catch (e) {
            // with its line it has ended too
            if (e instanceof NetworkError) {
                return true;
            }
            throw e;
        }
    }

    async sendFrame (client: Client, frame: Dict) {
        try {
            await client.send (frame);
        } catch (e) {
            // the socket is on its way to be closed: whoever waits hears why, once it is
            return;
        }
    }

    cleanFeed (feed: Dict) {
        // what was cached is of a feed that has ended: who watches it again begins anew
        const name = feed['name'];
        const channel = feed['channels'][0];
        const symbol = this.safeString (feed, 'symbol');
        if (channel === 'market.trades') {
            this.forget (this.trades, symbol);
        } else if (channel === 'market.ticker') {
            this.forget (this.tickers, symbol);
        } else if (channel === 'market.book') {
            this.forget (this.orderbooks, symbol);
            this.forget (this.bidsasks, symbol);
        } else if ((channel === 'market.candles') && (symbol in this.ohlcvs)) {
            this.forget (this.ohlcvs[symbol], feed['key']);
        } else if (name === 'account.orders') {
            this.orders = undefined;
        } else if (name === 'account.fills') {
            this.myTrades = undefined;
        } else if (name === 'account.positions') {
            this.positions = undefined;
        } else if (name === 'account.margin') {
            this.balance = {};
        }
    }

    async authenticate (client: Client): Promise<any> {
        if ('isAuthenticated' in client.subscriptions) {
            return true;
        }
        const messageHash = 'authenticated';
        const future = client.future (messageHash);
        if (!(messageHash in client.subscriptions)) {
            client.subscriptions[messageHash] = true;
            this.spawn (this.sendTicket, client, messageHash);
        }
        return await future;
    }

    async sendTicket (client: Client, messageHash: string) {
        try {
            const ticket = await this.loadTicket ();
            await this.sendFrame (client, { 'op': 'auth', 'ticket': ticket, 'id': messageHash });
        } catch (e) {
            this.forget (client.subscriptions, messageHash);
            client.reject (e, messageHash);
        }
    }

    async loadTicket (): Promise<string> {
        // each socket needs a ticket that has let in none: the next of the family, or the first of another
        await this.loadAccountId ();
        if (this.safeValue (this.options, 'ticket') !== undefined) {
            try {
                return await this.rotateTicket ();
            } catch (e) {
                if (!(e instanceof AuthenticationError)) {
                    throw e;
                }
                this.options['ticket'] = undefined;
            }
        }
        const response = await this.privatePostV1RealtimeTicket ();
        //
        //     {
        //         "ticket": "...",
        //         "accountId": "acct-1",
        //         "expiresAt": 1763673600000
        //     }
        //
        return this.keepTicket (response);
    }

    async rotateTicket (): Promise<string> {
        // one at a time: of two answers that pass each other the older would be kept, and end all of them when it is used
        let rotation = this.safeValue (this.options, 'rotation');
        if (rotation === undefined) {
            rotation = this.spawn (this.fetchNextTicket);
            this.options['rotation'] = rotation;
        }
        try {
            const ticket = await rotation;
            this.options['rotation'] = undefined;
            return ticket;
        } catch (e) {
            this.options['rotation'] = undefined;
            throw e;
        }
    }

    async fetchNextTicket (): Promise<string> {
        const known = this.safeDict (this.options, 'ticket', {});
        const response = await this.publicPutV1RealtimeTicket ({ 'ticket': this.safeString (known, 'ticket') });
        return this.keepTicket (response);
    }

    keepTicket (response: Dict): string {
        const ticket = this.safeString (response, 'ticket');
        this.options['ticket'] = {
            'ticket': ticket,
            'since': this.milliseconds (),
        };
        return ticket;
    }

    ping (client: Client): any {
        // asked for with every keep-alive: a socket is closed once its tickets have ended, and need not hear of the next one
        const known = this.safeDict (this.options, 'ticket');
        if ((known !== undefined) && ('isAuthenticated' in client.subscriptions)) {
            const age = this.milliseconds () - this.safeInteger (known, 'since');
            if (age > this.safeInteger (this.options, 'ticketRefreshInterval', 1200000)) {
                this.spawn (this.rotateTicket);
            }
        }
        return undefined; // a ping of the protocol itself
    }

    onConnected (client: Client, message: any = undefined) {
        // it was closed while it waited to connect
        if (this.safeValue (this.clients, client.url) !== client) {
            client.close ();
        }
    }

    /**
     * @method
     * @name openperp#close
     * @description closes the socket, and ends the tickets that it was let in with
     * @param {bool} [cleanInstanceCache] true to forget what was cached too
     */
    async close (cleanInstanceCache: boolean = false): Promise<any> {
        await this.sleep (0); // what was begun just before is known by then
        this.options['closings'] = this.sum (this.safeInteger (this.options, 'closings', 0), 1);
        await super.close (cleanInstanceCache);
        const feeds = this.toArray (this.options['feeds']);
        for (let i = 0; i < feeds.length; i++) {
            feeds[i]['isEnded'] = true;
        }
        this.options['feeds'] = {};
        this.options['unread'] = {};
        this.options['lost'] = {};
        const known = this.safeDict (this.options, 'ticket');
        if (known !== undefined) {
            this.options['ticket'] = undefined;
            try {
                await this.publicDeleteV1RealtimeTicket ({ 'ticket': this.safeString (known, 'ticket') });
            } catch (e) {
                // a venue that cannot be reached ends them by itself in an hour
                if (!(e instanceof NetworkError)) {
                    throw e;
                }
            }
        }
    }

    handleMessage (client: Client, message: any) {
        if (this.safeValue (this.clients, client.url) !== client) {
            return; // another socket goes on from what is held
        }
        const type = this.safeString (message, 'type');
        const methods: Dict = {
            'hello': this.handleHello,
            'auth_ok': this.handleAuthenticated,
            'subscribed': this.handleSubscribed,
            'unsubscribed': this.handleUnsubscribed,
            'update': this.handleUpdate,
            'error': this.handleErrorFrame,
        };
        const method = this.safeValue (methods, type);
        if (method !== undefined) {
            method.call (this, client, message);
        }
    }

    handleHello (client: Client, message: Dict) {
        //
        //     { "type": "hello", "version": "realtime-contract/v1" }
        //
        client.subscriptions['hello'] = true;
        client.resolve (true, 'hello');
    }

    handleAuthenticated (client: Client, message: Dict) {
        //
        //     { "type": "auth_ok", "accountId": "acct-1", "expiresAt": 1763673600000, "id": "authenticated" }
        //
        client.subscriptions['isAuthenticated'] = true;
        client.resolve (true, 'authenticated');
    }

    handleSubscribed (client: Client, message: Dict) {
        //
        //     {
        //         "type": "subscribed",
        //         "channel": "market.trades",
        //         "marketId": "BTC-USD-PERP",
        //         "sequence": 1234,
        //         "id": "1"
        //     }
        //
        const request = this.takeRequest (client, message);
        if (request === undefined) {
            return;
        }
        const feed = request['feed'];
        const channel = request['channel'];
        feed['held'][channel] = this.safeInteger (message, 'sequence');
        feed['live'][channel] = true;
    }

    takeRequest (client: Client, message: Dict): Dict {
        const key = 'request:' + this.safeString (message, 'id', '');
        const request = this.safeDict (client.subscriptions, key);
        if (request !== undefined) {
            delete client.subscriptions[key];
            if (!request['feed']['isEnded']) {
                return request;
            }
        }
        return undefined;
    }

    handleUnsubscribed (client: Client, message: Dict) {
        //
        //     {
        //         "type": "unsubscribed",
        //         "channel": "market.trades",
        //         "marketId": "BTC-USD-PERP",
        //         "sequence": 1234,
        //         "id": "2"
        //     }
        //
        client.resolve (true, 'unsubscribe:' + this.safeString (message, 'id', ''));
    }

    handleUpdate (client: Client, message: Dict) {
        const feed = this.safeDict (this.options['feeds'], this.feedName (message));
        if (feed === undefined) {
            return; // it was on its way when the feed was ended
        }
        const channel = this.safeString (message, 'channel');
        if (!this.safeBool (feed['live'], channel, false)) {
            return; // of a subscription that is begun anew
        }
        const sequence = this.safeInteger (message, 'sequence');
        const held = this.safeInteger (feed['held'], channel);
        if (!this.isNewestOnly (channel)) {
            if (sequence <= held) {
                return;
            }
            if (this.safeInteger (message, 'previousSequence') > held) {
                this.spawn (this.healFeed, client, feed);
                feed['live'] = {};
                return;
            }
        }
        const methods: Dict = {
            'market.ticker': this.handleTicker,
            'market.book': this.handleOrderBook,
            'market.trades': this.handleTrades,
            'market.candles': this.handleOHLCV,
            'account.orders': this.handleOrders,
            'account.fills': this.handleMyTrades,
            'account.positions': this.handlePositions,
            'account.pnl': this.handlePnl,
            'account.margin': this.handleMargin,
        };
        const method = methods[channel];
        method.call (this, client, feed, message);
        feed['held'][channel] = sequence;
    }

    handleErrorFrame (client: Client, message: Dict) {
        //
        //     {
        //         "type": "error",
        //         "code": "resync_required",
        //         "message": "What came after 1234 is not kept any more: ...",
        //         "retryable": false,
        //         "channel": "market.trades",
        //         "resyncCause": "not_kept",
        //         "historySource": "GET /v1/markets/{marketId}/trades",
        //         "oldestSequence": 2345,
        //         "id": "1"
        //     }
        //
        const code = this.safeString (message, 'code');
        const error = this.errorOf (code, this.id + ' ' + this.json (message));
        const id = this.safeString (message, 'id');
        if (id === 'authenticated') {
            this.forget (client.subscriptions, id);
            client.reject (error, id);
            return;
        }
        client.resolve (true, 'unsubscribe:' + id); // nothing was subscribed to
        const request = this.takeRequest (client, message);
        if ((request === undefined) || (code === 'subscription_withdrawn')) {
            return; // nobody waits for it any more
        }
        const feed = request['feed'];
        if (code === 'resync_required') {
            this.spawn (this.healFeed, client, feed);
            return;
        }
        if (code === 'no_room_for_replay') {
            this.spawn (this.subscribeLater, client, feed);
            return;
        }
        if (code === 'sequence_ahead') {
            // the venue has never come to what was held
            feed['held'] = {};
            feed['isLoaded'] = false;
        }
        this.failFeed (client, feed, error);
    }

    errorOf (code: string, feedback: string): any {
        try {
            this.throwExactlyMatchedException (this.exceptions['ws']['exact'], code, feedback);
        } catch (e) {
            return e;
        }
        const error = new ExchangeError (feedback);
        return error;
    }
}
