//  ---------------------------------------------------------------------------

import openperpRest from '../openperp.js';
import { ArgumentsRequired, AuthenticationError, BadRequest, BadSymbol, BaseError, ExchangeClosedByUser, ExchangeError, ExchangeNotAvailable, NetworkError, NotSupported, PermissionDenied, RequestTimeout, UnsubscribeError } from '../base/errors.js';
import { Precise } from '../base/Precise.js';
import { ArrayCache, ArrayCacheBySymbolById, ArrayCacheBySymbolBySide, ArrayCacheByTimestamp } from '../base/ws/Cache.js';
import type { Balances, Dict, Dictionary, FundingRate, FundingRates, Int, int, Market, OHLCV, Order, OrderBook, Position, Str, Strings, Ticker, Tickers, Trade } from '../base/types.js';
import type Client from '../base/ws/Client.js';

//  ---------------------------------------------------------------------------

export default interface openperp {
    realtime: Dict; // of describe (), which ccxt copies to a field of each instance; a field that the class declares would be reset after that
}

/**
 * @class openperp
 * @description The socket methods. A feed is the subscription of a watch method: one channel of the venue, for positions two. The state of a feed outlives its socket: the next socket continues from it.
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
                'watchFundingRate': true,
                'watchFundingRates': true,
                'watchMarkPrice': true,
                'watchMarkPrices': true,
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
                'unWatchFundingRate': true,
                'unWatchFundingRates': true,
                'unWatchMarkPrice': true,
                'unWatchMarkPrices': true,
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
                    'ws': undefined, // the venue publishes it, see loadRealtimeUrl
                },
            },
            'options': this.socketSettings (),
            // the state of the sockets, not a setting: a program may replace these options at any time
            'realtime': {
                'urls': {}, // urls of socket services, by the url of the venue
                'feeds': {}, // watched feeds, by name
                'quotes': {}, // mark prices and funding rates, by message hash
                'unread': {}, // by message hash, the keys of unread updates, oldest first
                'lost': {}, // by message hash, how many unread updates a full cache dropped
                'ticket': undefined, // the newest of its family
                'rotation': undefined, // the pending rotation to the next ticket
                'question': undefined, // the pending request for the venue's sequence, until it is sent
                'requestId': 0, // of the last sent frame
                'closings': 0, // how often close () was called
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

    socketSettings (): Dict {
        return {
            'tradesLimit': 10000,
            'ordersLimit': 20000,
            'myTradesLimit': 20000,
            'positionsLimit': 10000, // of closed positions
            'OHLCVLimit': 1000,
            'ticketRefreshInterval': 1200000, // a ticket is valid for an hour, and a socket as long as its tickets
            'subscriptionsPerSocket': 64, // more subscriptions use more sockets
            'framesAtOnce': 100, // burst of one socket, then one frame per frameInterval
            'frameInterval': 60,
            'catchUpTimeout': 30000, // how long a refused feed may make no progress before waiting callers see an error; how long a replay may take to respond
        };
    }

    setting (name: string): Int {
        const described = this.socketSettings ();
        return this.safeInteger (this.options, name, described[name]);
    }

    /**
     * @method
     * @name openperp#watchTicker
     * @description watches a price ticker, a statistical calculation with the information calculated over the past 24 hours for a specific market
     * @see http://localhost:8080/asyncapi.json#/channels/market.ticker
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
        const feeds = [ this.marketFeed ('market.ticker', market) ];
        await this.watchFeeds (feeds, [ messageHash ]);
        this.checkWatched (feeds, messageHash);
        this.takeUnread (messageHash);
        return this.tickers[market['symbol']];
    }

    /**
     * @method
     * @name openperp#watchTickers
     * @description watches price tickers, statistical calculations with the information calculated over the past 24 hours for several markets, of all markets if no symbols are given
     * @see http://localhost:8080/asyncapi.json#/channels/market.ticker
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
     * @description watches best bid & ask for symbols, of all markets if none are given
     * @see http://localhost:8080/asyncapi.json#/channels/market.book
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
        const requested = this.requestedSymbols (prefix, symbols);
        const messageHashes = this.messageHashesOf (prefix, requested);
        const feeds = this.marketFeeds (channel, requested);
        const ready = await this.watchFeeds (feeds, messageHashes);
        this.checkWatched (feeds, ready);
        const caches: Dict = {
            'ticker': this.tickers,
            'bidask': this.bidsasks,
        };
        const cache = this.safeDict (caches, prefix);
        const result: Dict = {};
        for (let i = 0; i < requested.length; i++) {
            const symbol = requested[i];
            const messageHash = messageHashes[i];
            const isNew = (messageHash === ready) || this.isUnread (messageHash);
            let quote = undefined;
            if (cache === undefined) {
                quote = this.safeDict (this.realtime['quotes'], messageHash);
            } else {
                quote = this.safeDict (cache, symbol);
            }
            if ((isNew || !this.newUpdates) && (quote !== undefined)) {
                result[symbol] = quote;
            }
            this.takeUnread (messageHash);
        }
        return result;
    }

    /**
     * @method
     * @name openperp#unWatchTicker
     * @description unWatches a price ticker
     * @see http://localhost:8080/asyncapi.json#/channels/market.ticker
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
     * @see http://localhost:8080/asyncapi.json#/channels/market.ticker
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
     * @see http://localhost:8080/asyncapi.json#/channels/market.book
     * @param {string[]} [symbols] unified symbols of the markets to stop watching
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {bool} true
     */
    async unWatchBidsAsks (symbols: Strings = undefined, params: Dict = {}): Promise<any> {
        return await this.unWatchMarkets ('market.book', 'bidask', symbols);
    }

    /**
     * @method
     * @name openperp#watchMarkPrice
     * @description watches the mark price and the index price
     * @see http://localhost:8080/asyncapi.json#/channels/market.price
     * @param {string} symbol unified symbol of the market
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object} a [ticker structure]{@link https://docs.ccxt.com/?id=ticker-structure} with the mark and the index price
     */
    async watchMarkPrice (symbol: string, params: Dict = {}): Promise<Ticker> {
        const market = await this.loadMarket (symbol);
        const quotes = await this.watchQuotes ('market.price', 'mark', [ market['symbol'] ]);
        return quotes[market['symbol']] as any;
    }

    /**
     * @method
     * @name openperp#watchMarkPrices
     * @description watches the mark price and the index price of several markets, of all markets if no symbols are given
     * @see http://localhost:8080/asyncapi.json#/channels/market.price
     * @param {string[]} [symbols] unified symbols of the markets
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object} a dictionary of [ticker structures]{@link https://docs.ccxt.com/?id=ticker-structure} with the mark and the index price, indexed by market symbols
     */
    async watchMarkPrices (symbols: Strings = undefined, params: Dict = {}): Promise<Tickers> {
        const quotes = await this.watchQuotes ('market.price', 'mark', symbols);
        return quotes as any;
    }

    /**
     * @method
     * @name openperp#unWatchMarkPrice
     * @description unWatches the mark price
     * @see http://localhost:8080/asyncapi.json#/channels/market.price
     * @param {string} symbol unified symbol of the market
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {bool} true
     */
    async unWatchMarkPrice (symbol: string, params: Dict = {}): Promise<any> {
        return await this.unWatchMarkets ('market.price', 'mark', [ symbol ]);
    }

    /**
     * @method
     * @name openperp#unWatchMarkPrices
     * @description unWatches the mark price of several markets
     * @see http://localhost:8080/asyncapi.json#/channels/market.price
     * @param {string[]} [symbols] unified symbols of the markets
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {bool} true
     */
    async unWatchMarkPrices (symbols: Strings = undefined, params: Dict = {}): Promise<any> {
        return await this.unWatchMarkets ('market.price', 'mark', symbols);
    }

    /**
     * @method
     * @name openperp#watchFundingRate
     * @description watches the estimated funding rate of the current period, and the last settled one
     * @see http://localhost:8080/asyncapi.json#/channels/market.funding
     * @param {string} symbol unified symbol of the market
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object} a [funding rate structure]{@link https://docs.ccxt.com/?id=funding-rate-structure} without prices
     */
    async watchFundingRate (symbol: string, params: Dict = {}): Promise<FundingRate> {
        const market = await this.loadMarket (symbol);
        const quotes = await this.watchQuotes ('market.funding', 'funding', [ market['symbol'] ]);
        return quotes[market['symbol']] as any;
    }

    /**
     * @method
     * @name openperp#watchFundingRates
     * @description watches the estimated funding rate of the current period, and the last settled one of several markets, of all markets if no symbols are given
     * @see http://localhost:8080/asyncapi.json#/channels/market.funding
     * @param {string[]} [symbols] unified symbols of the markets
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object} a dictionary of [funding rate structures]{@link https://docs.ccxt.com/?id=funding-rate-structure} without prices, indexed by market symbols
     */
    async watchFundingRates (symbols: Strings = undefined, params: Dict = {}): Promise<FundingRates> {
        const quotes = await this.watchQuotes ('market.funding', 'funding', symbols);
        return quotes as any;
    }

    /**
     * @method
     * @name openperp#unWatchFundingRate
     * @description unWatches the funding rate
     * @see http://localhost:8080/asyncapi.json#/channels/market.funding
     * @param {string} symbol unified symbol of the market
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {bool} true
     */
    async unWatchFundingRate (symbol: string, params: Dict = {}): Promise<any> {
        return await this.unWatchMarkets ('market.funding', 'funding', [ symbol ]);
    }

    /**
     * @method
     * @name openperp#unWatchFundingRates
     * @description unWatches the funding rate of several markets
     * @see http://localhost:8080/asyncapi.json#/channels/market.funding
     * @param {string[]} [symbols] unified symbols of the markets
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {bool} true
     */
    async unWatchFundingRates (symbols: Strings = undefined, params: Dict = {}): Promise<any> {
        return await this.unWatchMarkets ('market.funding', 'funding', symbols);
    }

    handleMarkPrice (client: Client, feed: Dict, message: Dict) {
        //
        //     {
        //         "type": "update",
        //         "channel": "market.price",
        //         "marketId": "BTC-USD-PERP",
        //         "sequence": 1234,
        //         "previousSequence": 1230,
        //         "epochMs": 1763670000123,
        //         "data": {
        //             "indexPrice": "100002.4",
        //             "markPrice": "100001.2",
        //             "observedAtEpochMs": 1763670000000,
        //             "indexStatus": "current",
        //             "provider": "generated"
        //         }
        //     }
        //
        const messageHash = 'mark:' + this.safeString (feed, 'symbol');
        const price = this.extend (this.safeDict (message, 'data', {}), {
            'marketId': this.safeString (message, 'marketId'),
            'asOfEpochMs': this.safeInteger (message, 'epochMs'),
        });
        this.realtime['quotes'][messageHash] = this.parseTicker (price);
        this.notify (feed, messageHash);
    }

    async loadFunding (client: Client, feed: Dict) {
        // the estimate may not change for an hour
        const request: Dict = {
            'marketId': feed['request']['marketId'],
        };
        const stats = await this.publicGetV1MarketsMarketIdStats (request);
        if (this.isStale (client, feed)) {
            return;
        }
        feed['sequences']['market.funding'] = this.safeInteger (stats, 'sequence');
        const messageHash = 'funding:' + this.safeString (feed, 'symbol');
        this.realtime['quotes'][messageHash] = this.parseFundingRate (stats);
        this.notify (feed, messageHash);
    }

    handleFundingRate (client: Client, feed: Dict, message: Dict) {
        //
        //     {
        //         "type": "update",
        //         "channel": "market.funding",
        //         "marketId": "BTC-USD-PERP",
        //         "sequence": 1234,
        //         "previousSequence": 1230,
        //         "epochMs": 1763670000123,
        //         "data": {
        //             "cause": "estimate_changed", // or "period_settled"
        //             "reported": { // of the last settled period
        //                 "period": 7,
        //                 "fundingRate": "0.0000125",
        //                 "settledAtEpochMs": 1763668800000,
        //                 "indexPrice": null,
        //                 "perLotMicroAtoms": null
        //             },
        //             "estimated": { "fundingRate": "0.0000125", "periodEndsAtEpochMs": 1763672400000 }
        //         }
        //     }
        //
        const messageHash = 'funding:' + this.safeString (feed, 'symbol');
        const data = this.safeDict (message, 'data', {});
        const reported = this.safeDict (data, 'reported', {});
        const estimated = this.safeDict (data, 'estimated', {});
        const funding = this.parseFundingRate ({
            'marketId': this.safeString (message, 'marketId'),
            'asOfEpochMs': this.safeInteger (message, 'epochMs'),
            'estimatedFundingRate': this.safeString (estimated, 'fundingRate'),
            'nextFundingAtEpochMs': this.safeInteger (estimated, 'periodEndsAtEpochMs'),
            'lastFundingRate': this.safeString (reported, 'fundingRate'),
            'lastFundingAtEpochMs': this.safeInteger (reported, 'settledAtEpochMs'),
        });
        funding['info'] = data;
        this.realtime['quotes'][messageHash] = funding;
        this.notify (feed, messageHash);
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
        //         "data": {} // see fetchTicker: last trade, 24 hours, best prices, mark and index
        //     }
        //
        const symbol = this.safeString (feed, 'symbol');
        const ticker = this.extend (this.safeDict (message, 'data', {}), {
            'marketId': this.safeString (message, 'marketId'),
            'asOfEpochMs': this.safeInteger (message, 'epochMs'),
        });
        this.tickers[symbol] = this.parseTicker (ticker);
        this.notify (feed, 'ticker:' + symbol);
    }

    /**
     * @method
     * @name openperp#watchOrderBook
     * @description watches information on open orders with bid (buy) and ask (sell) prices, volumes and other data
     * @see http://localhost:8080/asyncapi.json#/channels/market.book
     * @param {string} symbol unified symbol of the market to fetch the order book for
     * @param {int} [limit] the maximum amount of order book entries to return, the venue publishes 50 of each side
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
     * @see http://localhost:8080/asyncapi.json#/channels/market.book
     * @param {string[]} symbols unified symbols of the markets to fetch the order book for
     * @param {int} [limit] the maximum amount of order book entries to return, the venue publishes 50 of each side
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object} an [order book structure]{@link https://docs.ccxt.com/?id=order-book-structure}
     */
    async watchOrderBookForSymbols (symbols: string[], limit: Int = undefined, params: Dict = {}): Promise<OrderBook> {
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        const requested = this.requestedSymbols ('orderbook', symbols);
        const messageHashes = this.messageHashesOf ('orderbook', requested);
        const feeds = this.marketFeeds ('market.book', requested);
        const ready = await this.watchFeeds (feeds, messageHashes);
        this.checkWatched (feeds, ready);
        this.takeUnread (ready);
        const orderbook = this.orderbooks[this.symbolOf (ready)];
        return (limit === undefined) ? orderbook : this.limitedOrderBook (orderbook, limit);
    }

    /**
     * @method
     * @name openperp#unWatchOrderBook
     * @description unWatches information on open orders with bid (buy) and ask (sell) prices, volumes and other data
     * @see http://localhost:8080/asyncapi.json#/channels/market.book
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
     * @see http://localhost:8080/asyncapi.json#/channels/market.book
     * @param {string[]} symbols unified symbols of the markets to stop watching the order books of
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {bool} true
     */
    async unWatchOrderBookForSymbols (symbols: string[], params: Dict = {}): Promise<any> {
        return await this.unWatchMarkets ('market.book', 'orderbook', symbols);
    }

    limitedOrderBook (orderbook: Dict, limit: int): any {
        // a copy, since another caller may want the whole book
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
        this.bidsasks[symbol] = this.parseQuote (snapshot, message);
        this.notify (feed, 'orderbook:' + symbol);
        this.notify (feed, 'bidask:' + symbol);
    }

    parseQuote (snapshot: Dict, message: Dict): Ticker {
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
     * @see http://localhost:8080/asyncapi.json#/channels/market.trades
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
     * @see http://localhost:8080/asyncapi.json#/channels/market.trades
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
        const requested = this.requestedSymbols ('trades', symbols);
        const messageHashes = this.messageHashesOf ('trades', requested);
        const feeds = this.marketFeeds ('market.trades', requested);
        const ready = await this.watchFeeds (feeds, messageHashes);
        this.checkWatched (feeds, ready);
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
     * @see http://localhost:8080/asyncapi.json#/channels/market.trades
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
     * @see http://localhost:8080/asyncapi.json#/channels/market.trades
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
        this.storeTrades (feed, this.safeList (data, 'trades', []));
    }

    storeTrades (feed: Dict, trades: any[]) {
        const symbol = this.safeString (feed, 'symbol');
        const limit = this.setting ('tradesLimit');
        if (!(symbol in this.trades)) {
            this.trades[symbol] = new ArrayCache (limit);
        }
        const messageHash = 'trades:' + symbol;
        for (let i = 0; i < trades.length; i++) {
            this.storeRow (feed, this.trades[symbol], limit, this.parseTrade (trades[i]), false, [ messageHash ]);
        }
        this.notify (feed, messageHash);
    }

    async healTrades (client: Client, feed: Dict) {
        const knownSequence = this.safeInteger (feed['sequences'], 'market.trades');
        const limit = this.setting ('tradesLimit');
        const missed = await this.fetchMissed ('publicGetV1MarketsMarketIdTrades', 'trades', feed['request'], knownSequence, limit);
        if (this.isStale (client, feed)) {
            return;
        }
        this.noteTruncated (feed, missed);
        this.storeTrades (feed, missed['rows']);
        feed['sequences']['market.trades'] = Math.max (knownSequence, missed['sequence']); // if REST is behind, no update is delivered twice
    }

    /**
     * @method
     * @name openperp#watchOHLCV
     * @description watches historical candlestick data containing the open, high, low, and close price, and the volume of a market
     * @see http://localhost:8080/asyncapi.json#/channels/market.candles
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
     * @see http://localhost:8080/asyncapi.json#/channels/market.candles
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
        this.checkWatched (feeds, ready);
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
     * @see http://localhost:8080/asyncapi.json#/channels/market.candles
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
     * @see http://localhost:8080/asyncapi.json#/channels/market.candles
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
        const series = this.candleSeries ('watchOHLCV', params);
        if (series === 'mark') {
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
            const feed = this.createFeed ([ 'market.candles' ], {
                'marketId': market['id'],
                'series': series,
                'timeframe': interval,
            });
            feed['symbol'] = market['symbol'];
            feed['timeframe'] = timeframe;
            feed['key'] = timeframe; // in this.ohlcvs
            if (series === 'index') {
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
        this.storeCandles (feed, this.safeList (data, 'candles', []));
    }

    storeCandles (feed: Dict, candles: any[]) {
        const symbol = this.safeString (feed, 'symbol');
        const key = this.safeString (feed, 'key');
        const limit = this.setting ('OHLCVLimit');
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
        this.notify (feed, messageHashes[0]);
    }

    async healOHLCV (client: Client, feed: Dict) {
        const pageLength = 1000;
        const bySymbol = this.safeValue (this.ohlcvs, feed['symbol'], {});
        const stored = this.safeValue (bySymbol, feed['key'], []);
        const storedLength = stored.length;
        const request = this.extend (feed['request'], { 'limit': pageLength });
        const knownSequence = this.safeInteger (feed['sequences'], 'market.candles');
        if (storedLength > 0) {
            // the last stored candle may have changed too
            request['since'] = stored[storedLength - 1][0];
        }
        let hasMore = true;
        let sequence = undefined;
        while (hasMore) {
            const response = await this.publicGetV1MarketsMarketIdCandles (request);
            if (this.isStale (client, feed)) {
                return;
            }
            // a candle on a later page includes changes in between, and is delivered again
            if (sequence === undefined) {
                sequence = this.safeInteger (response, 'sequence');
                if (sequence < knownSequence) {
                    return; // REST is behind the published sequence: the subscription continues from there
                }
            }
            const candles = this.safeList (response, 'candles', []);
            this.storeCandles (feed, candles);
            const length = candles.length;
            hasMore = (storedLength > 0) && (length === pageLength);
            if (hasMore) {
                request['since'] = this.sum (this.safeInteger (candles[length - 1], 'openTimeEpochMs'), 1);
            }
        }
        feed['sequences']['market.candles'] = sequence;
    }

    /**
     * @method
     * @name openperp#watchOrders
     * @description watches information on multiple orders made by the user
     * @see http://localhost:8080/asyncapi.json#/channels/account.orders
     * @param {string} [symbol] unified market symbol of the market orders were made in
     * @param {int} [since] the earliest time in ms to fetch orders for
     * @param {int} [limit] the maximum number of order structures to retrieve
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @param {boolean} [params.trigger] true for orders that wait or waited for a price only, also when they are triggered or end
     * @param {boolean} [params.trailing] true for trailing stops only, also when they are triggered or end
     * @returns {object[]} a list of [order structures]{@link https://docs.ccxt.com/?id=order-structure}
     */
    async watchOrders (symbol: Str = undefined, since: Int = undefined, limit: Int = undefined, params: Dict = {}): Promise<Order[]> {
        let kind = undefined;
        [ kind, params ] = this.handleWaitingAndParams (params);
        this.checkNoParams ('watchOrders', params);
        const messageHash = await this.accountHash ('orders', symbol);
        const rowLimit = (kind === undefined) ? limit : undefined;
        let result: any = [];
        let isDone = false;
        while (!isDone) {
            const feeds = [ this.createFeed ([ 'account.orders' ]) ];
            await this.watchFeeds (feeds, [ messageHash ]);
            this.checkWatched (feeds, messageHash);
            this.takeUnread (messageHash);
            result = this.newRows (this.orders, this.symbolOf (messageHash), since, rowLimit);
            if (kind === undefined) {
                isDone = true;
            } else {
                // the channel has all kinds: waits for an update of this one
                result = this.filterBySinceLimit (this.filterWaitingOrders (result, kind), since, limit, 'timestamp', true);
                const length = result.length;
                isDone = (length > 0);
            }
        }
        return result;
    }

    checkNoParams (methodName: string, params: Dict) {
        // a subscription to an account has no params: others would be ignored
        const rest = this.ownParams (methodName, params);
        const keys = Object.keys (rest);
        const length = keys.length;
        if (length > 0) {
            throw new BadRequest (this.id + ' ' + methodName + '() does not know params.' + keys[0] + ': omit it');
        }
    }

    /**
     * @method
     * @name openperp#unWatchOrders
     * @description unWatches information on multiple orders made by the user
     * @see http://localhost:8080/asyncapi.json#/channels/account.orders
     * @param {string} [symbol] unified market symbol, all markets if it is not given
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {bool} true
     */
    async unWatchOrders (symbol: Str = undefined, params: Dict = {}): Promise<any> {
        const kindAndParams = this.handleWaitingAndParams (params);
        this.checkNoParams ('unWatchOrders', kindAndParams[1]); // one subscription has the orders of all kinds
        const messageHash = await this.accountHash ('orders', symbol);
        const feed = this.createFeed ([ 'account.orders' ]);
        const messageHashes = (symbol === undefined) ? undefined : [ messageHash ];
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
        this.storeOrders (feed, this.safeList (data, 'orders', []));
    }

    storeOrders (feed: Dict, orders: any[]) {
        const limit = this.setting ('ordersLimit');
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
                // an order read over REST may be newer than a replayed one
                const knownSequence = this.safeInteger (known['info'], 'lastSequence');
                if (knownSequence >= this.safeInteger (orders[i], 'lastSequence')) {
                    continue;
                }
            }
            this.noteOpenOrder (feed, orders[i]);
            this.storeRow (feed, this.orders, limit, order, (known !== undefined), [ 'orders', 'orders::' + symbol ]);
            touched[symbol] = true;
        }
        const symbols = Object.keys (touched);
        this.notifySymbols (feed, 'orders', symbols);
    }

    noteOpenOrder (feed: Dict, order: Dict) {
        // open orders are tracked, to find those that close while the socket is down
        const id = this.safeString (order, 'orderId');
        if (this.safeString (order, 'status') === 'open') {
            feed['open'][id] = this.safeInteger (order, 'createdAtEpochMs');
        } else {
            this.forget (feed['open'], id);
        }
        const newest = this.safeString (feed, 'newestId', '0');
        if (Precise.stringGt (id, newest)) {
            feed['newestId'] = id;
        }
    }

    async loadOrders (client: Client, feed: Dict) {
        // the bootstrap snapshot is not delivered: updates start with the sequence of the first of these responses
        // (an order placed before the last response is in its list: without it no update would ever show it)
        const accountId = await this.loadAccountId ();
        const request: Dict = {
            'accountId': accountId,
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
        feed['sequences']['account.orders'] = this.safeInteger (this.safeDict (newest, 'freshness', {}), 'journalSequence');
    }

    async healOrders (client: Client, feed: Dict) {
        const knownSequence = this.safeInteger (feed['sequences'], 'account.orders');
        const newestId = this.safeString (feed, 'newestId', '0');
        const limit = this.setting ('ordersLimit');
        const accountId = await this.loadAccountId ();
        const request: Dict = {
            'accountId': accountId,
        };
        const placed = await this.fetchPages ('privateGetV1AccountsAccountIdOrders', 'orders', request, 'orderId', newestId, limit);
        const open = await this.fetchPages ('privateGetV1AccountsAccountIdOrdersOpen', 'orders', request);
        const rows = this.arrayConcat (placed['rows'], open['rows']);
        const found = this.indexBy (rows, 'orderId');
        const known = Object.keys (feed['open']);
        const ended = [];
        for (let i = 0; i < known.length; i++) {
            if (!(known[i] in found)) {
                ended.push ({ 'orderId': known[i], 'placed': feed['open'][known[i]] });
            }
        }
        const endedRows = await this.fetchEnded (request, ended);
        const all = this.arrayConcat (rows, endedRows);
        if (this.isStale (client, feed)) {
            return;
        }
        this.noteTruncated (feed, placed);
        const changed = [];
        for (let i = 0; i < all.length; i++) {
            if (this.safeInteger (all[i], 'lastSequence') > knownSequence) {
                changed.push (all[i]);
            }
        }
        this.storeOrders (feed, this.sortBy (changed, 'lastSequence'));
        // that of the first page, because changes that later pages already show are published again, and recognized by their lastSequence
        feed['sequences']['account.orders'] = Math.max (knownSequence, placed['sequence']);
    }

    async fetchEnded (request: Dict, ended: Dict[]): Promise<Dict[]> {
        // page by page from the oldest order that is not found yet: at most one page per order
        const rows = [];
        let missing = this.sortBy (ended, 'placed');
        let length = missing.length;
        while (length > 0) {
            const response = await this.privateGetV1AccountsAccountIdOrders (this.extend (request, {
                'since': missing[0]['placed'],
                'limit': 500,
            }));
            const page = this.indexBy (this.safeList (response, 'orders', []), 'orderId');
            const rest = [];
            for (let i = 0; i < length; i++) {
                const orderId = missing[i]['orderId'];
                if (orderId in page) {
                    rows.push (page[orderId]);
                } else if (i === 0) {
                    // more orders were placed in the same millisecond
                    const row = await this.privateGetV1OrdersOrderId ({ 'orderId': orderId });
                    rows.push (row);
                } else {
                    rest.push (missing[i]);
                }
            }
            missing = rest;
            length = missing.length;
        }
        return rows;
    }

    /**
     * @method
     * @name openperp#watchMyTrades
     * @description watches information on multiple trades made by the user
     * @see http://localhost:8080/asyncapi.json#/channels/account.fills
     * @param {string} [symbol] unified market symbol of the market trades were made in
     * @param {int} [since] the earliest time in ms to fetch trades for
     * @param {int} [limit] the maximum number of trade structures to retrieve
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object[]} a list of [trade structures]{@link https://docs.ccxt.com/?id=trade-structure}
     */
    async watchMyTrades (symbol: Str = undefined, since: Int = undefined, limit: Int = undefined, params: Dict = {}): Promise<Trade[]> {
        this.checkNoParams ('watchMyTrades', params);
        const messageHash = await this.accountHash ('myTrades', symbol);
        const feeds = [ this.createFeed ([ 'account.fills' ]) ];
        await this.watchFeeds (feeds, [ messageHash ]);
        this.checkWatched (feeds, messageHash);
        this.takeUnread (messageHash);
        return this.newRows (this.myTrades, this.symbolOf (messageHash), since, limit);
    }

    /**
     * @method
     * @name openperp#unWatchMyTrades
     * @description unWatches information on multiple trades made by the user
     * @see http://localhost:8080/asyncapi.json#/channels/account.fills
     * @param {string} [symbol] unified market symbol, all markets if it is not given
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {bool} true
     */
    async unWatchMyTrades (symbol: Str = undefined, params: Dict = {}): Promise<any> {
        this.checkNoParams ('unWatchMyTrades', params);
        const messageHash = await this.accountHash ('myTrades', symbol);
        const feed = this.createFeed ([ 'account.fills' ]);
        const messageHashes = (symbol === undefined) ? undefined : [ messageHash ];
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
        this.storeMyTrades (feed, this.safeList (data, 'fills', []));
    }

    storeMyTrades (feed: Dict, fills: any[]) {
        const limit = this.setting ('myTradesLimit');
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
        const symbols = Object.keys (touched);
        this.notifySymbols (feed, 'myTrades', symbols);
    }

    async healMyTrades (client: Client, feed: Dict) {
        const knownSequence = this.safeInteger (feed['sequences'], 'account.fills');
        const limit = this.setting ('myTradesLimit');
        const accountId = await this.loadAccountId ();
        const request: Dict = {
            'accountId': accountId,
        };
        const missed = await this.fetchMissed ('privateGetV1AccountsAccountIdFills', 'fills', request, knownSequence, limit);
        if (this.isStale (client, feed)) {
            return;
        }
        this.noteTruncated (feed, missed);
        this.storeMyTrades (feed, missed['rows']);
        feed['sequences']['account.fills'] = Math.max (knownSequence, missed['sequence']);
    }

    /**
     * @method
     * @name openperp#watchPositions
     * @description watches open positions: first all open positions, then those changed by an order, funding or their mark price, a closed one with 0 contracts
     * @see http://localhost:8080/asyncapi.json#/channels/account.positions
     * @see http://localhost:8080/asyncapi.json#/channels/account.pnl
     * @param {string[]} [symbols] list of unified market symbols
     * @param {int} [since] the earliest time in ms to fetch positions for
     * @param {int} [limit] the maximum number of positions to retrieve
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object[]} a list of [position structures]{@link https://docs.ccxt.com/?id=position-structure}
     */
    async watchPositions (symbols: Strings = undefined, since: Int = undefined, limit: Int = undefined, params: Dict = {}): Promise<Position[]> {
        this.checkNoParams ('watchPositions', params);
        const messageHashes = await this.positionHashes (symbols);
        symbols = this.symbolsOrAll (symbols);
        const feeds = [ this.createFeed ([ 'account.positions', 'account.pnl' ]) ];
        const ready = await this.watchFeeds (feeds, messageHashes);
        this.checkWatched (feeds, ready);
        for (let i = 0; i < messageHashes.length; i++) {
            if (messageHashes[i] in this.realtime['lost']) {
                this.takeUnread (messageHashes[i]); // throws if updates were lost, before the updates of the others are taken
            }
        }
        let changed: Dict = {};
        for (let i = 0; i < messageHashes.length; i++) {
            changed = this.extend (changed, this.takeUnread (messageHashes[i]));
        }
        const hasChanged = !this.isEmpty (changed);
        // a closed position comes before a position opened later on the same side
        const result = [];
        const closed: Dict = {};
        const feed = feeds[0];
        for (let i = 0; i < feed['closed'].length; i++) {
            const key = this.rowKey (feed['closed'][i]);
            if (key in changed) {
                closed[key] = true;
                result.push (feed['closed'][i]);
            }
        }
        const positions = (this.positions === undefined) ? [] : this.positions;
        for (let i = 0; i < positions.length; i++) {
            const key = this.rowKey (positions[i]);
            const isNew = !this.newUpdates || !hasChanged || (key in changed);
            if (isNew && !(key in closed)) {
                result.push (positions[i]);
            }
        }
        this.forgetClosed (feed);
        return this.filterBySymbolsSinceLimit (this.sortBy (result, 'timestamp'), symbols, since, limit, true);
    }

    /**
     * @method
     * @name openperp#unWatchPositions
     * @description unWatches open positions
     * @see http://localhost:8080/asyncapi.json#/channels/account.positions
     * @see http://localhost:8080/asyncapi.json#/channels/account.pnl
     * @param {string[]} [symbols] list of unified market symbols, all markets if it is not given
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {bool} true
     */
    async unWatchPositions (symbols: Strings = undefined, params: Dict = {}): Promise<any> {
        this.checkNoParams ('unWatchPositions', params);
        let messageHashes = await this.positionHashes (symbols);
        if (this.symbolsOrAll (symbols) === undefined) {
            messageHashes = undefined;
        }
        return await this.unWatchFeed (this.createFeed ([ 'account.positions', 'account.pnl' ]), messageHashes);
    }

    async positionHashes (symbols: Strings = undefined): Promise<string[]> {
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        symbols = this.symbolsOrAll (symbols);
        if (symbols === undefined) {
            return [ 'positions' ];
        }
        return this.messageHashesOf ('positions:', symbols);
    }

    async loadPositions (client: Client, feed: Dict) {
        const accountId = await this.loadAccountId ();
        const request: Dict = {
            'accountId': accountId,
        };
        const response = await this.privateGetV1AccountsAccountIdPositions (request);
        const sequence = this.safeInteger (this.safeDict (response, 'resync', {}), 'fromSequence');
        const knownSequence = this.safeInteger (feed['sequences'], 'account.positions');
        if ((knownSequence !== undefined) && (sequence < knownSequence)) {
            return; // REST is behind the published sequence: the subscription continues from there
        }
        const rows = this.safeList (response, 'positions', []);
        const history = await this.fetchClosed (request, feed, this.indexBy (rows, 'positionId'));
        await this.learnMarkets (rows);
        if (this.isStale (client, feed)) {
            return;
        }
        this.noteTruncated (feed, history);
        feed['positions'] = {};
        feed['marks'] = {};
        // a closed position comes before a position opened later on the same side
        const closed = history['rows'];
        for (let i = 0; i < closed.length; i++) {
            // the subscription publishes positions that were closed after the snapshot was read
            if (this.safeInteger (closed[i], 'lastSequence') <= sequence) {
                this.storePosition (feed, closed[i], sequence);
            }
        }
        for (let i = 0; i < rows.length; i++) {
            this.storePosition (feed, rows[i], sequence);
        }
        feed['sequences']['account.positions'] = sequence;
        feed['sequences']['account.pnl'] = sequence;
        this.notifyAll (feed);
    }

    async fetchClosed (request: Dict, feed: Dict, open: Dict): Promise<Dict> {
        // positions closed since then, with their results: known ones, and those opened in between
        const knownSequence = this.safeString (feed['sequences'], 'account.positions');
        if (knownSequence === undefined) {
            return { 'rows': [], 'isTruncated': false };
        }
        const limit = this.setting ('positionsLimit');
        const history = await this.fetchPages ('privateGetV1AccountsAccountIdPositionsHistory', 'positions', request, 'lastSequence', knownSequence, limit);
        const closed = this.indexBy (history['rows'], 'positionId');
        const ids = Object.keys (feed['positions']);
        for (let i = 0; i < ids.length; i++) {
            if (!history['isTruncated'] && !(ids[i] in open) && !(ids[i] in closed)) {
                throw new ExchangeError (this.id + ' the venue no longer lists a watched position: unwatch positions, and watch them again');
            }
        }
        return history;
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
        //             "positions": [], // see parsePosition, closed positions have the status "closed"
        //             "riskChanges": [] // a new mark price, which account.pnl publishes too
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
        const symbols = Object.keys (touched);
        this.notifySymbols (feed, 'positions', symbols);
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
        //                     "cause": "mark", // or "position", which account.positions publishes too
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
            // the two channels arrive one after the other: account.positions will publish a position that is not known yet
            const known = this.safeDict (feed['positions'], this.safeString (rows[i], 'positionId'));
            if (known !== undefined) {
                const symbol = this.storePosition (feed, known['row'], known['sequence']);
                touched[symbol] = true;
            }
        }
        const symbols = Object.keys (touched);
        this.notifySymbols (feed, 'positions', symbols);
    }

    storePosition (feed: Dict, row: Dict, sequence: Int): string {
        const id = this.safeString (row, 'positionId');
        const position = this.parsePosition (this.markedPosition (feed, row, sequence));
        const symbol = position['symbol'];
        const messageHashes = [ 'positions', 'positions::' + symbol ];
        if (this.safeString (row, 'status') === 'closed') {
            this.forget (feed['positions'], id);
            this.storeClosed (feed, position, messageHashes);
        } else {
            feed['positions'][id] = { 'row': row, 'sequence': sequence };
        }
        if (this.positions === undefined) {
            this.positions = new ArrayCacheBySymbolBySide ();
        }
        this.positions.append (position);
        this.noteUnread (feed, this.rowKey (position), messageHashes);
        return symbol;
    }

    storeClosed (feed: Dict, position: Position, messageHashes: string[]) {
        // this.positions has one position per side: closed positions are stored separately until they are read
        const limit = this.setting ('positionsLimit');
        const closed = this.extend ({}, position);
        const length = feed['closed'].length;
        if (length === 0) {
            feed['closed'] = new ArrayCache (limit);
        }
        this.storeRow (feed, feed['closed'], limit, closed, false, messageHashes);
    }

    forgetClosed (feed: Dict) {
        // closed positions that all waiting callers have read
        const closed = feed['closed'];
        const length = closed.length;
        if (length === 0) {
            return;
        }
        const remaining = new ArrayCache (this.setting ('positionsLimit'));
        const messageHashes = Object.keys (feed['uses']);
        for (let i = 0; i < length; i++) {
            const key = this.rowKey (closed[i]);
            let isUnread = false;
            for (let j = 0; j < messageHashes.length; j++) {
                const unread = this.safeDict (this.realtime['unread'], messageHashes[j], {});
                if (key in unread) {
                    isUnread = true;
                }
            }
            if (isUnread) {
                remaining.append (closed[i]);
            }
        }
        feed['closed'] = remaining;
    }

    markedPosition (feed: Dict, row: Dict, sequence: Int): Dict {
        // a position at the newest mark price, by the margin rules that the venue publishes with a market
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
            marked['liquidationPrice'] = liquidationPrice; // it does not depend on the mark price
        }
        return this.extend (this.omit (row, this.riskFields ()), marked);
    }

    riskFields (): string[] {
        return [ 'markPriceAtoms', 'markPrice', 'unrealizedPnlAtoms', 'unrealizedPnl', 'liquidationPriceAtoms', 'liquidationPrice', 'marginHealthBps', 'equityAtoms', 'maintenanceRequirementAtoms', 'maintenanceRequirement', 'marginStatus', 'riskAsOfMarketDataSequence', 'liquidationTierConsistent', 'adlIndicator', 'riskEvidence' ];
    }

    maintenanceRequirement (notional: string, market: Market): string {
        // the sum over the tiers of rate times notional within the tier, rounded up to the atom once
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
     * @description watches balance: the current balance first, then every change
     * @see http://localhost:8080/asyncapi.json#/channels/account.margin
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object} a [balance structure]{@link https://docs.ccxt.com/?id=balance-structure}
     */
    async watchBalance (params: Dict = {}): Promise<Balances> {
        this.checkNoParams ('watchBalance', params);
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        const messageHash = 'balance';
        const feeds = [ this.createFeed ([ 'account.margin' ]) ];
        await this.watchFeeds (feeds, [ messageHash ]);
        this.checkWatched (feeds, messageHash);
        this.takeUnread (messageHash);
        return this.balance as Balances;
    }

    /**
     * @method
     * @name openperp#unWatchBalance
     * @description unWatches balance
     * @see http://localhost:8080/asyncapi.json#/channels/account.margin
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {bool} true
     */
    async unWatchBalance (params: Dict = {}): Promise<any> {
        this.checkNoParams ('unWatchBalance', params);
        return await this.unWatchFeed (this.createFeed ([ 'account.margin' ]), [ 'balance' ]);
    }

    async loadBalance (client: Client, feed: Dict) {
        const response = await this.fetchAccountSnapshot ();
        if (this.isStale (client, feed)) {
            return;
        }
        feed['sequences']['account.margin'] = this.safeInteger (response, 'snapshotSequence');
        this.storeBalance (feed, response);
    }

    async fetchAccountSnapshot (): Promise<Dict> {
        const accountId = await this.loadAccountId ();
        const request: Dict = {
            'accountId': accountId,
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
        //             "kind": "values", // or "digest", with the digest and the evidence only
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
            this.spawn (this.refreshBalance, feed);
            return;
        }
        const before = feed['account'];
        const markets = this.toArray (this.markets);
        const first = this.safeDict (markets, 0, {});
        const atom = this.parsePrecision (this.safeString (first['info'], 'settlementAssetDecimals'));
        this.storeBalance (feed, this.extend (data, {
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

    async refreshBalance (feed: Dict) {
        // without a mark price the venue publishes that values changed, but not the values
        feed['toRefresh'] = true;
        if (feed['isRefreshing'] === true) {
            return;
        }
        feed['isRefreshing'] = true;
        try {
            while (feed['toRefresh'] === true) {
                feed['toRefresh'] = false;
                const response = await this.fetchAccountSnapshot ();
                if (feed['isEnded'] !== true) {
                    this.storeBalance (feed, response); // on any socket
                }
            }
        } catch (e) {
            const current = this.safeValue (this.clients, feed['url']);
            if (current !== undefined) {
                this.failFeed (current, feed, e);
            }
        }
        feed['isRefreshing'] = false;
    }

    storeBalance (feed: Dict, account: Dict) {
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
        // values that change with the mark price alone are not part of a balance
        if (isChanged) {
            this.notify (feed, 'balance');
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
        const known = this.safeDict (this.realtime['feeds'], name);
        if (known !== undefined) {
            return known;
        }
        // the caller registers it when it is watched
        return {
            'name': name,
            'channels': channels,
            'request': request,
            'socket': undefined, // the name of the socket
            'url': undefined, // of that socket
            'home': undefined, // the url of the first socket, where all callers wait
            'uses': {}, // the message hashes that callers have waited for
            'sequences': {}, // by channel, the sequence up to which all updates are known
            'live': {}, // by channel, whether the subscription is live from there
            'isLoaded': false, // whether the bootstrap snapshot was read
            'turn': 0, // counts its subscriptions: messages of an older one are ignored
            'refused': {}, // since when it makes no progress, and at which sequence
            'isRefreshing': false,
            'toRefresh': false,
            'isEnded': false,
            'open': {}, // by order id, the time of placement
            'positions': {},
            'marks': {},
            'closed': [], // closed positions, newest last
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
        // each update replaces the previous one, so a missed one does not matter
        return this.inArray (channel, [ 'market.book', 'market.ticker', 'market.price' ]);
    }

    requestedSymbols (prefix: string, symbols: Strings = undefined): string[] {
        if (!this.inArray (prefix, [ 'ticker', 'bidask', 'mark', 'funding' ])) {
            return this.marketSymbols (symbols, undefined, false);
        }
        const requested = this.symbolsOrAll (symbols);
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
            // the service has a url of its own, which is read from the venue once, even for concurrent callers
            const venueUrl = this.implodeHostname (this.urls['api']['rest']);
            const known = this.realtime['urls'];
            if (!(venueUrl in known)) {
                known[venueUrl] = this.spawn (this.fetchRealtimeUrl);
            }
            try {
                url = await known[venueUrl];
            } catch (e) {
                this.forget (known, venueUrl);
                throw e;
            }
        }
        url = this.implodeHostname (url);
        this.checkRealtimeUrl (url);
        if (url.indexOf ('ws://') === 0) {
            // ccxt's JavaScript needs an agent for a socket without TLS; the other languages have no such method
            const loadAgent = this.getProperty (this, 'loadHttpProxyAgent');
            if (loadAgent !== undefined) {
                await loadAgent.call (this, url); // the transpiler wants an argument here
            }
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
        let host = this.safeString (server, 'host');
        if (host === undefined) {
            throw new ExchangeError (this.id + ' the venue does not publish the url of its realtime service, set exchange.urls["api"]["ws"]');
        }
        let protocol = this.safeString (server, 'protocol');
        const requestedUrl = this.implodeHostname (this.urls['api']['rest']);
        // a venue that listens on all interfaces is reached at the requested host
        host = host.replace ('{host}', this.hostnameOf (requestedUrl));
        if ((requestedUrl.indexOf ('https://') === 0) && !this.isLoopback (host)) {
            protocol = 'wss'; // never less secure than the REST url
        }
        const url = protocol + '://' + host + this.safeString (server, 'pathname', '');
        this.checkRealtimeUrl (url); // an unusable url is not cached
        return url;
    }

    checkRealtimeUrl (url: string) {
        const parts = url.split ('://');
        const scheme = parts[0];
        const rest = this.safeString (parts, 1, '');
        const hasScheme = (scheme === 'ws') || (scheme === 'wss');
        const hasPart = rest.indexOf ('#') >= 0; // a fragment, which sockets do not allow
        if (!hasScheme || hasPart || (rest === '') || (rest.indexOf ('/') === 0)) {
            throw new BadRequest (this.unusableUrl (url));
        }
    }

    unusableUrl (url: string): string {
        return this.id + ' no socket can be opened to the url of the realtime service, "' + url + '": it must look like ws://localhost:8081 or wss://venue.example, set exchange.urls["api"]["ws"]';
    }

    hostnameOf (url: string): string {
        const parts = url.split ('/'); // http:, empty, the authority
        const names = parts[2].split ('@');
        const length = names.length;
        const host = names[length - 1];
        if (host.indexOf ('[') === 0) {
            const inBrackets = host.indexOf (']') + 1;
            return host.slice (0, inBrackets);
        }
        return host.split (':')[0];
    }

    async watchFeeds (feeds: Dict[], messageHashes: string[]): Promise<string> {
        const length = messageHashes.length;
        if (length === 0) {
            throw new ArgumentsRequired (this.id + ' no symbols to watch: give at least one');
        }
        const closings = this.realtime['closings'];
        const url = await this.loadRealtimeUrl ();
        if (this.realtime['closings'] !== closings) {
            throw new ExchangeClosedByUser (this.id + ' closedByUser'); // before there was a socket
        }
        for (let i = 0; i < feeds.length; i++) {
            this.forgetOutdated (feeds[i]);
        }
        const home = this.openSocket (url);
        let isPrivate = false;
        for (let i = 0; i < feeds.length; i++) {
            const feed = this.currentFeed (feeds[i]);
            feeds[i] = feed;
            isPrivate = this.isPrivate (feed);
            // several feeds have a message hash each; a single feed may have several
            const own = (feeds.length > 1) ? [ messageHashes[i] ] : messageHashes;
            this.openWithCapacity (url, feed, own);
        }
        try {
            this.throwMissed (home, messageHashes);
            // all wait on the first socket, whichever socket delivers; after this no feed may be refused, as no caller would see the error
            const future = this.watchMultiple (url, messageHashes);
            // updates that arrived while no caller waited; the other feeds are opened nevertheless
            const unread = this.longestUnread (messageHashes);
            if (unread !== undefined) {
                home.resolve (unread, unread);
            }
            return await future;
        } catch (e) {
            // waiting callers are rejected before they see why the socket was closed
            const reason = this.exceptionMessage (e, false);
            if (isPrivate && (e instanceof NetworkError) && (reason.indexOf ('closing code 4005') >= 0)) {
                this.realtime['ticket'] = undefined;
                throw new AuthenticationError (this.id + ' the realtime tickets, or the API key that they come from, were revoked');
            }
            throw e;
        }
    }

    throwMissed (home: any, messageHashes: string[]) {
        // an error without a waiting caller is thrown to the next caller, once: a future with it would throw it every time
        let error = undefined;
        for (let i = 0; i < messageHashes.length; i++) {
            if (messageHashes[i] in home.rejections) {
                error = home.rejections[messageHashes[i]];
                delete home.rejections[messageHashes[i]];
            }
        }
        if (error !== undefined) {
            throw error;
        }
    }

    openWithCapacity (url: string, feed: Dict, messageHashes: string[]) {
        if (feed['socket'] === undefined) {
            feed['socket'] = this.socketWithCapacity (feed);
        }
        feed['url'] = this.socketUrl (url, feed['socket']);
        feed['home'] = url;
        this.realtime['feeds'][feed['name']] = feed;
        this.useFeed (feed, messageHashes);
        const client = this.openSocket (feed['url']);
        const name = feed['name'];
        if (!(name in client.subscriptions)) {
            client.subscriptions[name] = true;
            const turn = this.takeTurn (feed);
            feed['refused'] = {};
            this.spawn (this.openFeed, client, feed, turn);
        }
    }

    checkWatched (feeds: Dict[], messageHash: string) {
        // between the update and now, the feed may have ended, with its updates discarded
        for (let i = 0; i < feeds.length; i++) {
            if (messageHash in feeds[i]['uses']) {
                if (feeds[i]['isEnded'] === true) {
                    throw new ExchangeClosedByUser (this.id + ' closedByUser');
                }
                return;
            }
        }
        throw new UnsubscribeError (this.id + ' ' + messageHash);
    }

    currentFeed (requestedFeed: Dict): Dict {
        // meanwhile another call may have started to watch it, or ended it
        if (requestedFeed['isEnded'] === true) {
            requestedFeed = this.extend (requestedFeed, this.createFeed (requestedFeed['channels'], requestedFeed['request']));
        }
        return this.safeDict (this.realtime['feeds'], requestedFeed['name'], requestedFeed);
    }

    forgetOutdated (feed: Dict) {
        // a book or a ticker of a broken connection is stale
        if (!this.isNewestOnly (feed['channels'][0]) || this.isLive (feed)) {
            return;
        }
        const messageHashes = Object.keys (feed['uses']);
        for (let i = 0; i < messageHashes.length; i++) {
            this.forget (this.realtime['unread'], messageHashes[i]);
        }
    }

    isLive (feed: Dict): boolean {
        const client = this.safeValue (this.clients, feed['url']);
        if ((client === undefined) || !(feed['name'] in client.subscriptions)) {
            return false;
        }
        return this.safeBool (feed['live'], feed['channels'][0], false);
    }

    longestUnread (messageHashes: string[]): Str {
        // rotate, so that no symbol starves those after it
        for (let i = 0; i < messageHashes.length; i++) {
            if (messageHashes[i] in this.realtime['lost']) {
                return messageHashes[i];
            }
        }
        const unread = Object.keys (this.realtime['unread']);
        for (let i = 0; i < unread.length; i++) {
            if (this.inArray (unread[i], messageHashes)) {
                return unread[i];
            }
        }
        return undefined;
    }

    socketWithCapacity (feed: Dict): int {
        // account feeds are on the first socket, which always has capacity for them
        if (this.isPrivate (feed)) {
            return 0;
        }
        const limit = this.setting ('subscriptionsPerSocket');
        const feeds = this.toArray (this.realtime['feeds']);
        const counts = [ 5 ]; // the number of account feeds
        for (let i = 0; i < feeds.length; i++) {
            if (!this.isPrivate (feeds[i])) {
                const socket = feeds[i]['socket'];
                while (counts.length <= socket) {
                    counts.push (0);
                }
                counts[socket] = this.sum (counts[socket], 1);
            }
        }
        for (let i = 0; i < counts.length; i++) {
            if (counts[i] < limit) {
                return i;
            }
        }
        return counts.length;
    }

    socketUrl (url: string, socket: int): string {
        // ccxt identifies a socket by its url: each socket gets another spelling of it
        const parts = url.split ('://');
        const places = parts[1].split ('/');
        let host = places[0];
        for (let i = 0; i < socket; i++) {
            host = host + '/.';
        }
        places[0] = host;
        return parts[0] + '://' + places.join ('/');
    }

    openSocket (url: string): any {
        if (!(url in this.clients)) {
            // no caller waits for this future: an unhandled rejection would end the program
            try {
                this.watchMultiple (url, [ 'opened' ]);
            } catch (e) {
                this.forgetSocket (url, e);
                if (e instanceof BaseError) {
                    throw e;
                }
                throw new BadRequest (this.unusableUrl (url));
            }
            const client = this.client (url);
            client.resolve (true, 'opened');
            this.spawn (this.followSocket, client);
        }
        return this.client (url);
    }

    forgetSocket (url: string, error: any) {
        // the socket was never opened, except for its timer; the next caller sees the error at once too, without a pause
        const client = this.safeValue (this.clients, url);
        if (client !== undefined) {
            client.resolve (true, 'opened');
            client.reset (error);
        }
        this.forget (this.clients, url);
        const wsOptions = this.safeDict (this.options, 'ws', {});
        this.forget (this.safeDict (wsOptions, 'backoffState', {}), url);
    }

    async followSocket (client: Client) {
        // callers that wait on the first socket for updates of another one see its end too
        const url = client.url;
        try {
            if (this.safeValue (this.clients, url) !== client) {
                throw new NetworkError (this.id + ' the connection ended before it was open');
            }
            await client.future ('ended');
        } catch (e) {
            const feeds = this.toArray (this.realtime['feeds']);
            const current = this.safeValue (this.clients, url);
            for (let i = 0; i < feeds.length; i++) {
                const home = this.safeValue (this.clients, feeds[i]['home']);
                // some feeds may have been opened on the next socket by then
                const isOpen = (current !== undefined) && (feeds[i]['name'] in current.subscriptions);
                if ((feeds[i]['url'] === url) && (home !== undefined) && !isOpen) {
                    const messageHashes = Object.keys (feeds[i]['uses']);
                    for (let j = 0; j < messageHashes.length; j++) {
                        if (messageHashes[j] in home.futures) {
                            home.reject (e, messageHashes[j]);
                        }
                    }
                }
            }
        }
    }

    useFeed (feed: Dict, messageHashes: string[]) {
        for (let i = 0; i < messageHashes.length; i++) {
            const messageHash = messageHashes[i];
            if (!(messageHash in feed['uses'])) {
                feed['uses'][messageHash] = true;
                if (feed['isLoaded'] === true) {
                    // later callers get the current state too
                    this.emitState (feed, messageHash);
                }
            }
        }
    }

    emitState (feed: Dict, messageHash: string) {
        if (feed['name'] === 'account.margin') {
            this.notify (feed, messageHash);
        } else if (feed['name'] === 'account.positions') {
            const known = this.toArray (feed['positions']);
            for (let i = 0; i < known.length; i++) {
                const position = this.parsePosition (this.markedPosition (feed, known[i]['row'], known[i]['sequence']));
                const symbol = this.symbolOf (messageHash);
                if ((symbol === undefined) || (symbol === position['symbol'])) {
                    this.noteUnread (feed, this.rowKey (position), [ messageHash ]);
                }
            }
            this.notify (feed, messageHash);
        }
    }

    async openFeed (client: Client, feed: Dict, turn: int) {
        try {
            if (!('hello' in client.subscriptions)) {
                await client.future ('hello');
            }
            if (this.isPrivate (feed)) {
                await this.authenticate (client);
            }
            if (feed['isLoaded'] !== true) {
                await this.loadFeed (client, feed);
                if (this.isPast (client, feed, turn)) {
                    return;
                }
                feed['isLoaded'] = true;
            }
            if (!this.isPast (client, feed, turn)) {
                await this.subscribeFeed (client, feed);
            }
        } catch (e) {
            this.failTurn (client, feed, turn, e);
        }
    }

    async loadFeed (client: Client, feed: Dict) {
        const channel = feed['channels'][0];
        if (channel === 'account.orders') {
            await this.loadOrders (client, feed);
        } else if (channel === 'account.positions') {
            await this.loadPositions (client, feed);
        } else if (channel === 'account.margin') {
            await this.loadBalance (client, feed);
        } else if (channel === 'market.funding') {
            await this.loadFunding (client, feed);
        } else if (!this.isNewestOnly (channel)) {
            // no update after this sequence is missed, whenever the venue processes the subscription
            feed['sequences'][channel] = await this.loadSequence (0);
        }
    }

    async loadSequence (pause: int): Promise<Int> {
        // the current sequence of the venue: the journal is shared by all feeds, so concurrent callers share one request
        if (this.realtime['question'] === undefined) {
            this.realtime['question'] = this.spawn (this.fetchSequence, pause);
        }
        return await this.realtime['question'];
    }

    async fetchSequence (pause: int): Promise<Int> {
        await this.sleep (pause);
        // later callers may hold a newer sequence than this response
        this.realtime['question'] = undefined;
        if (this.isEmpty (this.realtime['feeds'])) {
            return undefined; // the exchange was closed meanwhile
        }
        const markets = this.toArray (this.markets);
        const market = this.safeDict (markets, 0);
        const request: Dict = { 'limit': 1 };
        let response = undefined;
        if (market !== undefined) {
            // without the API key: reads of markets are public
            request['marketId'] = market['id'];
            response = await this.publicGetV1MarketsMarketIdTrades (request);
        } else {
            request['accountId'] = await this.loadAccountId ();
            response = await this.privateGetV1AccountsAccountIdFills (request);
        }
        return this.safeInteger (this.safeDict (response, 'freshness', {}), 'journalSequence');
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
                // the subscription may still be active: end it, and start it again
                this.sendFrame (client, this.subscriptionRequest ('unsubscribe', feed, channel, this.requestId ()));
            }
            client.subscriptions[subscribed] = true;
            const id = this.requestId ();
            const request = this.subscriptionRequest ('subscribe', feed, channel, id);
            const knownSequence = this.safeInteger (feed['sequences'], channel);
            if ((knownSequence !== undefined) && !this.isNewestOnly (channel)) {
                request['fromSequence'] = knownSequence;
            }
            client.subscriptions['request:' + id] = { 'feed': feed, 'channel': channel, 'turn': feed['turn'] };
            this.sendFrame (client, request);
        }
    }

    takeTurn (feed: Dict): int {
        feed['turn'] = this.sum (feed['turn'], 1);
        feed['live'] = {};
        return feed['turn'];
    }

    async subscribeLater (client: Client, feed: Dict, refusedTurn: int, code: string) {
        if (this.isPast (client, feed, refusedTurn)) {
            return;
        }
        const turn = this.takeTurn (feed);
        try {
            this.noteRefused (feed, code);
            if (code === 'sequence_ahead') {
                // the socket service is behind REST: it catches up, unless the venue has gone back
                const sequence = await this.loadSequence (1000);
                if (!this.isPast (client, feed, turn) && this.isBehind (feed, sequence)) {
                    this.endBehind (client, feed, sequence);
                }
            } else {
                // the venue's queues for slow clients are full: no update is lost meanwhile
                await this.sleep (1000);
            }
            if (!this.isPast (client, feed, turn)) {
                await this.subscribeFeed (client, feed);
            }
        } catch (e) {
            this.failTurn (client, feed, turn, e);
        }
    }

    noteRefused (feed: Dict, code: string): boolean {
        // whether the feed has made no progress since the last refusal
        const sequences = this.json (feed['sequences']);
        const now = this.milliseconds ();
        if (this.safeString (feed['refused'], 'sequences') !== sequences) {
            feed['refused'] = { 'sequences': sequences, 'since': now };
            return false;
        }
        const duration = now - feed['refused']['since'];
        if (duration >= this.setting ('catchUpTimeout')) {
            const reasons: Dict = {
                'sequence_ahead': 'the realtime service is behind REST',
                'no_room_for_replay': 'the realtime service cannot buffer a replay of the missed updates',
                'resync_required': 'REST is behind what the realtime service can replay',
            };
            throw new ExchangeNotAvailable (this.id + ' ' + reasons[code] + ': ' + feed['name'] + ' has made no progress for ' + this.numberToString (duration) + ' ms. No received update is lost: watch again to continue from there, and use the fetch methods meanwhile');
        }
        return true;
    }

    isBehind (feed: Dict, sequence: Int): boolean {
        const sequences = this.toArray (feed['sequences']);
        for (let i = 0; i < sequences.length; i++) {
            if (sequences[i] > sequence) {
                return true;
            }
        }
        return false;
    }

    endBehind (client: Client, feed: Dict, sequence: Int) {
        // the received state belongs to another history
        const error = new ExchangeError (this.id + ' the venue is at ' + this.numberToString (sequence) + ', behind the sequence that it published for ' + feed['name'] + ': it continues from other data. The received state is discarded: watch again to start over');
        this.failFeed (client, feed, error);
        const messageHashes = Object.keys (feed['uses']);
        for (let i = 0; i < messageHashes.length; i++) {
            this.forget (this.realtime['unread'], messageHashes[i]);
            this.forget (this.realtime['lost'], messageHashes[i]);
        }
        feed['uses'] = {};
        this.endFeed (client, feed);
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
        const requestId = this.sum (this.realtime['requestId'], 1);
        this.realtime['requestId'] = requestId;
        return requestId.toString ();
    }

    async healFeed (client: Client, feed: Dict, brokenTurn: int, code: Str = undefined) {
        // missed updates are read over REST, and the subscription starts again from there
        if (this.isPast (client, feed, brokenTurn)) {
            return;
        }
        const turn = this.takeTurn (feed);
        try {
            if ((code !== undefined) && this.noteRefused (feed, code)) {
                await this.sleep (1000); // REST has not advanced since the last read
            }
            await this.readMissed (client, feed);
            if (!this.isPast (client, feed, turn)) {
                await this.subscribeFeed (client, feed);
            }
        } catch (e) {
            this.failTurn (client, feed, turn, e);
        }
    }

    async healUnlisted (client: Client, feed: Dict, brokenTurn: int, marketId: string) {
        // a market listed after the markets were loaded: its rows would have no symbol and no mark price
        try {
            await this.loadMarkets (true);
            if (!(marketId in this.markets_by_id)) {
                throw new ExchangeError (this.id + ' the venue published data of ' + marketId + ', but does not list it');
            }
        } catch (e) {
            this.failTurn (client, feed, brokenTurn, e);
            return;
        }
        await this.healFeed (client, feed, brokenTurn);
    }

    rowsOf (message: Dict): any[] {
        // for account updates
        const data = this.safeDict (message, 'data', {});
        const rows = this.safeList2 (data, 'orders', 'fills', []);
        return this.safeList (data, 'positions', rows);
    }

    unlistedMarket (rows: any[]): Str {
        for (let i = 0; i < rows.length; i++) {
            const marketId = this.safeString (rows[i], 'marketId');
            if ((marketId !== undefined) && !(marketId in this.markets_by_id)) {
                return marketId;
            }
        }
        return undefined;
    }

    async learnMarkets (rows: any[]) {
        if (this.unlistedMarket (rows) !== undefined) {
            await this.loadMarkets (true);
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
            'market.funding': this.loadFunding,
        };
        const method = this.safeValue (methods, channel);
        if (method !== undefined) {
            await method.call (this, client, feed);
        }
    }

    failFeed (client: Client, feed: Dict, error: any) {
        // waiting callers see the error, and the next caller continues from the last known sequence
        if (this.isStale (client, feed)) {
            return; // another socket continues this feed, or another feed has this name by now
        }
        this.forget (client.subscriptions, feed['name']);
        this.takeTurn (feed);
        const home = this.safeValue (this.clients, feed['home']);
        if (home !== undefined) {
            const messageHashes = Object.keys (feed['uses']);
            for (let i = 0; i < messageHashes.length; i++) {
                home.reject (error, messageHashes[i]);
            }
        }
    }

    failTurn (client: Client, feed: Dict, turn: int, error: any) {
        if (!this.isPast (client, feed, turn)) {
            this.failFeed (client, feed, error);
        }
    }

    isPast (client: Client, feed: Dict, turn: int): boolean {
        return (feed['turn'] !== turn) || this.isStale (client, feed);
    }

    isStale (client: Client, feed: Dict): boolean {
        return (feed['isEnded'] === true) || (feed['url'] !== client.url) || (this.safeValue (this.clients, client.url) !== client);
    }

    async fetchMissed (method: string, key: string, request: Dict, knownSequence: Int, limit: int): Promise<Dict> {
        // newest first, until the known sequence; then oldest first
        return await this.fetchPages (method, key, request, 'sequence', knownSequence.toString (), limit);
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
        await this.learnMarkets (rows);
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
                if (!(messageHash in this.realtime['unread'])) {
                    this.realtime['unread'][messageHash] = {};
                }
                this.realtime['unread'][messageHash][key] = true;
            }
        }
    }

    noteEvicted (feed: Dict, key: string) {
        const messageHashes = Object.keys (feed['uses']);
        for (let i = 0; i < messageHashes.length; i++) {
            const messageHash = messageHashes[i];
            const unread = this.safeDict (this.realtime['unread'], messageHash, {});
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
        this.realtime['lost'][messageHash] = this.sum (this.safeInteger (this.realtime['lost'], messageHash, 0), 1);
    }

    isUnread (messageHash: string): boolean {
        return (messageHash in this.realtime['unread']) || (messageHash in this.realtime['lost']);
    }

    takeUnread (messageHash: string): Dict {
        if (messageHash in this.realtime['lost']) {
            delete this.realtime['lost'][messageHash];
            throw new ExchangeError (this.id + ' the buffer of unread updates for ' + messageHash + ' overflowed, and the oldest are lost: read them with the fetch method, and watch again for the rest. Raise ordersLimit, myTradesLimit, tradesLimit or positionsLimit in exchange.options for a larger buffer');
        }
        const unread = this.safeDict (this.realtime['unread'], messageHash, {});
        this.forget (this.realtime['unread'], messageHash);
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
        // an old order that changes is cached after newer ones
        return this.sortBy (this.filterBySymbolSinceLimit (cache, symbol, since, limit, true), 'timestamp');
    }

    notify (feed: Dict, messageHash: string) {
        if (messageHash in feed['uses']) {
            if (!(messageHash in this.realtime['unread'])) {
                this.realtime['unread'][messageHash] = {};
            }
            const home = this.safeValue (this.clients, feed['home']);
            if (home !== undefined) {
                home.resolve (messageHash, messageHash);
            }
        }
    }

    notifySymbols (feed: Dict, name: string, symbols: string[]) {
        const length = symbols.length;
        for (let i = 0; i < length; i++) {
            this.notify (feed, name + '::' + symbols[i]);
        }
        if (length > 0) {
            this.notify (feed, name);
        }
    }

    notifyAll (feed: Dict) {
        const messageHashes = Object.keys (feed['uses']);
        for (let i = 0; i < messageHashes.length; i++) {
            this.notify (feed, messageHashes[i]);
        }
    }

    async unWatchMarkets (channel: string, prefix: string, symbols: Strings = undefined): Promise<any> {
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        const requested = this.requestedSymbols (prefix, symbols);
        for (let i = 0; i < requested.length; i++) {
            const feed = this.marketFeed (channel, this.market (requested[i]));
            await this.unWatchFeed (feed, [ prefix + ':' + requested[i] ]);
        }
        return true;
    }

    async unWatchFeed (requestedFeed: Dict, messageHashes: Strings = undefined): Promise<any> {
        await this.loadRealtimeUrl (); // calls that started just before are registered by then
        const feed = this.safeDict (this.realtime['feeds'], requestedFeed['name'], requestedFeed);
        if (messageHashes === undefined) {
            messageHashes = Object.keys (feed['uses']);
        }
        const home: any = this.safeValue (this.clients, feed['home']);
        for (let i = 0; i < messageHashes.length; i++) {
            const messageHash = messageHashes[i];
            this.forget (feed['uses'], messageHash);
            this.forget (this.realtime['unread'], messageHash);
            this.forget (this.realtime['lost'], messageHash);
            if (home !== undefined) {
                this.forget (home.rejections, messageHash);
                if (messageHash in home.futures) {
                    const error = new UnsubscribeError (this.id + ' ' + messageHash);
                    home.reject (error, messageHash);
                }
            }
        }
        if (!this.isEmpty (feed['uses']) || !(feed['name'] in this.realtime['feeds'])) {
            return true;
        }
        const client = this.safeValue (this.clients, feed['url']);
        const responded = this.endFeed (client, feed);
        if (responded === undefined) {
            return true;
        }
        try {
            return await client.future (responded);
        } catch (e) {
            // the feed ended with its connection
            if (e instanceof NetworkError) {
                return true;
            }
            throw e;
        }
    }

    endFeed (client: any, feed: Dict): Str {
        const name = feed['name'];
        feed['isEnded'] = true;
        delete this.realtime['feeds'][name];
        this.cleanFeed (feed);
        if (client === undefined) {
            return undefined;
        }
        this.forget (client.subscriptions, name);
        // the venue answers frames in their order
        const channels = feed['channels'];
        let responded = undefined;
        for (let i = 0; i < channels.length; i++) {
            const subscribed = 'subscribed:' + name + ':' + channels[i];
            if (subscribed in client.subscriptions) {
                delete client.subscriptions[subscribed];
                const id = this.requestId ();
                responded = 'unsubscribe:' + id;
                this.sendFrame (client, this.subscriptionRequest ('unsubscribe', feed, channels[i], id));
            }
        }
        return responded;
    }

    sendFrame (client: Client, frame: Dict) {
        if ('frames' in client.subscriptions) {
            client.subscriptions['frames'].push (frame);
            return;
        }
        client.subscriptions['frames'] = [ frame ];
        this.spawn (this.sendFrames, client);
    }

    async sendFrames (client: Client) {
        // in order, and within the venue's frame rate limit of a socket
        const frames = client.subscriptions['frames'];
        let length = frames.length;
        while (length > 0) {
            await this.waitToSend (client);
            const frame = frames.shift ();
            this.awaitResponse (client, frame);
            try {
                await client.send (frame);
            } catch (e) {
                // the socket is being closed: waiting callers get the reason when it is closed
                break;
            }
            length = frames.length;
        }
        delete client.subscriptions['frames'];
    }

    awaitResponse (client: Client, frame: Dict) {
        const id = frame['id'];
        const isReplayed = ('fromSequence' in frame);
        let timeoutMs = this.timeout;
        if (isReplayed) {
            // replays run one after the other, and the venue serves other clients too
            timeoutMs = Math.max (timeoutMs, this.setting ('catchUpTimeout'));
        }
        let what = this.safeString (frame, 'op', 'the connection');
        if ('channel' in frame) {
            what = what + ' ' + frame['channel'];
        }
        const known = this.safeDict (client.subscriptions, 'awaited', {});
        known[id] = {
            'what': what,
            'isReplayed': isReplayed,
            'timeoutMs': timeoutMs,
            'left': timeoutMs,
        };
        client.subscriptions['awaited'] = known;
        if (!('isFollowed' in client.subscriptions)) {
            client.subscriptions['isFollowed'] = true;
            this.spawn (this.followResponses, client);
        }
    }

    takeResponse (client: Client, id: string) {
        const awaited = this.safeDict (client.subscriptions, 'awaited', {});
        if (!(id in awaited)) {
            return;
        }
        delete awaited[id];
        // the next replay starts when this one is complete
        const left = this.toArray (awaited);
        for (let i = 0; i < left.length; i++) {
            if (left[i]['isReplayed']) {
                left[i]['left'] = left[i]['timeoutMs'];
            }
        }
    }

    async followResponses (client: Client) {
        // counted in turns, not by the clock: while the program is busy, it does not read received frames
        const interval = 100;
        const awaited = client.subscriptions['awaited'];
        while (!this.isEmpty (awaited) && (this.safeValue (this.clients, client.url) === client)) {
            await this.sleep (interval);
            const left = this.toArray (awaited);
            for (let i = 0; i < left.length; i++) {
                left[i]['left'] = left[i]['left'] - interval;
                if (left[i]['left'] <= 0) {
                    await this.closeSilent (client, left[i]);
                    return;
                }
            }
        }
        delete client.subscriptions['isFollowed'];
    }

    async closeSilent (client: Client, awaited: Dict) {
        if (this.safeValue (this.clients, client.url) !== client) {
            return; // it has already ended
        }
        const error = new RequestTimeout (this.id + ' ' + client.url + ': no answer to ' + awaited['what'] + ' within ' + this.numberToString (awaited['timeoutMs']) + ' ms, and the socket is closed: watch again to continue from the last received update');
        client.error = error; // so that its close event is not attributed to the next socket
        client.reset (error);
        this.forget (this.clients, client.url);
        await client.close ();
    }

    async waitToSend (client: Client) {
        // tokens of the frame rate limit, saved up while no frame was sent
        const interval = this.setting ('frameInterval');
        const maxTokens = interval * this.setting ('framesAtOnce');
        const now = this.milliseconds ();
        const passed = Math.max (now - this.safeInteger (client.subscriptions, 'frameTime', now), 0);
        let saved = Math.min (this.safeInteger (client.subscriptions, 'savedTime', maxTokens) + passed, maxTokens);
        if (saved < interval) {
            await this.sleep (interval - saved);
            saved = interval;
        }
        client.subscriptions['savedTime'] = saved - interval;
        client.subscriptions['frameTime'] = this.milliseconds ();
    }

    cleanFeed (feed: Dict) {
        // the cache belongs to a feed that has ended: the next caller starts again
        const name = feed['name'];
        const channel = feed['channels'][0];
        const symbol = this.safeString (feed, 'symbol');
        if (channel === 'market.trades') {
            this.forget (this.trades, symbol);
        } else if (channel === 'market.ticker') {
            this.forget (this.tickers, symbol);
        } else if (channel === 'market.price') {
            this.forget (this.realtime['quotes'], 'mark:' + symbol);
        } else if (channel === 'market.funding') {
            this.forget (this.realtime['quotes'], 'funding:' + symbol);
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
            this.sendFrame (client, { 'op': 'auth', 'ticket': ticket, 'id': messageHash });
        } catch (e) {
            this.forget (client.subscriptions, messageHash);
            client.reject (e, messageHash);
        }
    }

    async loadTicket (): Promise<string> {
        // each socket needs an unused ticket: the next of the family, or the first of another
        await this.loadAccountId ();
        if (this.safeValue (this.realtime, 'ticket') !== undefined) {
            try {
                return await this.rotateTicket ();
            } catch (e) {
                if (!(e instanceof AuthenticationError)) {
                    throw e;
                }
                this.realtime['ticket'] = undefined;
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
        // one rotation at a time: if two responses arrive out of order, the older ticket would be stored, and its use would revoke the family
        let rotation = this.safeValue (this.realtime, 'rotation');
        if (rotation === undefined) {
            rotation = this.spawn (this.fetchNextTicket);
            this.realtime['rotation'] = rotation;
        }
        try {
            const ticket = await rotation;
            this.realtime['rotation'] = undefined;
            return ticket;
        } catch (e) {
            this.realtime['rotation'] = undefined;
            throw e;
        }
    }

    async fetchNextTicket (): Promise<string> {
        const known = this.safeDict (this.realtime, 'ticket', {});
        const response = await this.publicPutV1RealtimeTicket ({ 'ticket': this.safeString (known, 'ticket') });
        return this.keepTicket (response);
    }

    keepTicket (response: Dict): string {
        const ticket = this.safeString (response, 'ticket');
        this.realtime['ticket'] = {
            'ticket': ticket,
            'since': this.milliseconds (),
        };
        return ticket;
    }

    ping (client: Client): any {
        // checked with every keep-alive: the venue closes a socket when its tickets expire, and does not need to see the next ticket
        const known = this.safeDict (this.realtime, 'ticket');
        if ((known !== undefined) && ('isAuthenticated' in client.subscriptions)) {
            const age = this.milliseconds () - this.safeInteger (known, 'since');
            if (age > this.setting ('ticketRefreshInterval')) {
                this.spawn (this.rotateTicket);
            }
        }
        return { 'op': 'ping' }; // not a ping of the WebSocket protocol, which the Python class of ccxt does not send
    }

    onConnected (client: Client, message: any = undefined) {
        // it was closed while it waited to connect
        if (this.safeValue (this.clients, client.url) !== client) {
            client.close ();
        } else if (!('hello' in client.subscriptions)) {
            this.awaitResponse (client, { 'id': 'hello' });
        }
    }

    /**
     * @method
     * @name openperp#close
     * @description closes the socket, and revokes its tickets
     * @see http://localhost:8080/docs#/Realtime%20access/revokeRealtimeTicket
     * @param {bool} [cleanInstanceCache] true to clear the caches too
     */
    async close (cleanInstanceCache: boolean = false): Promise<any> {
        await this.sleep (0); // calls that started just before are registered by then
        this.realtime['closings'] = this.sum (this.realtime['closings'], 1);
        const closed = new ExchangeClosedByUser (this.id + ' closedByUser');
        const clients = this.toArray (this.clients);
        for (let i = 0; i < clients.length; i++) {
            clients[i].reject (closed); // a socket that still connects would report a network failure
        }
        // the Python method has no argument
        if (cleanInstanceCache) {
            await super.close (cleanInstanceCache);
        } else {
            await super.close ();
        }
        const feeds = this.toArray (this.realtime['feeds']);
        for (let i = 0; i < feeds.length; i++) {
            feeds[i]['isEnded'] = true;
        }
        this.realtime['feeds'] = {};
        this.realtime['unread'] = {};
        this.realtime['lost'] = {};
        const known = this.safeDict (this.realtime, 'ticket');
        if (known !== undefined) {
            this.realtime['ticket'] = undefined;
            try {
                await this.publicDeleteV1RealtimeTicket ({ 'ticket': this.safeString (known, 'ticket') });
            } catch (e) {
                // if the venue cannot be reached, the tickets expire by themselves within an hour
                if (!(e instanceof NetworkError)) {
                    throw e;
                }
            }
        }
    }

    handleMessage (client: Client, message: any) {
        if (this.safeValue (this.clients, client.url) !== client) {
            return; // another socket continues this feed
        }
        const type = this.safeString (message, 'type');
        if (type === 'pong') {
            client.lastPong = this.milliseconds ();
            return;
        }
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
            this.takeResponse (client, this.safeString (message, 'id', type));
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
        feed['sequences'][channel] = this.safeInteger (message, 'sequence');
        feed['live'][channel] = true;
        const live = Object.keys (feed['live']);
        if (live.length === feed['channels'].length) {
            feed['refused'] = {};
        }
    }

    takeRequest (client: Client, message: Dict): Dict {
        const key = 'request:' + this.safeString (message, 'id', '');
        const request = this.safeDict (client.subscriptions, key);
        if (request !== undefined) {
            delete client.subscriptions[key];
            const feed = request['feed'];
            if (!feed['isEnded'] && (request['turn'] === feed['turn'])) {
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
        const feed = this.safeDict (this.realtime['feeds'], this.feedName (message));
        if ((feed === undefined) || (feed['url'] !== client.url)) {
            return; // it was sent before the feed ended
        }
        const channel = this.safeString (message, 'channel');
        if (!this.safeBool (feed['live'], channel, false)) {
            return; // of a subscription that is started again
        }
        const sequence = this.safeInteger (message, 'sequence');
        const knownSequence = this.safeInteger (feed['sequences'], channel);
        if (!this.isNewestOnly (channel)) {
            if (sequence <= knownSequence) {
                return;
            }
            if (this.safeInteger (message, 'previousSequence') > knownSequence) {
                this.spawn (this.healFeed, client, feed, feed['turn']);
                feed['live'] = {};
                return;
            }
        }
        let marketId = undefined;
        if (this.isPrivate (feed)) {
            marketId = this.unlistedMarket (this.rowsOf (message));
        }
        if (marketId !== undefined) {
            this.spawn (this.healUnlisted, client, feed, feed['turn'], marketId);
            feed['live'] = {};
            return;
        }
        const methods: Dict = {
            'market.ticker': this.handleTicker,
            'market.price': this.handleMarkPrice,
            'market.funding': this.handleFundingRate,
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
        feed['sequences'][channel] = sequence;
    }

    handleErrorFrame (client: Client, message: Dict) {
        //
        //     {
        //         "type": "error",
        //         "code": "resync_required",
        //         "message": "Updates after 1234 are no longer in the replay buffer: ...",
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
        const id = this.safeString (message, 'id', '');
        if (id === 'authenticated') {
            this.forget (client.subscriptions, id);
            client.reject (error, id);
            return;
        }
        client.resolve (true, 'unsubscribe:' + id); // there was no subscription
        const request = this.takeRequest (client, message);
        if ((request === undefined) || (code === 'subscription_withdrawn')) {
            return; // no caller waits for it any more
        }
        const feed = request['feed'];
        const turn = request['turn'];
        if (code === 'resync_required') {
            this.spawn (this.healFeed, client, feed, turn, code);
            return;
        }
        if ((code === 'no_room_for_replay') || (code === 'sequence_ahead')) {
            this.spawn (this.subscribeLater, client, feed, turn, code);
            return;
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
