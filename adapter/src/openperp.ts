//  ---------------------------------------------------------------------------

import Exchange from './abstract/openperp.js';
import { AccountNotEnabled, AccountSuspended, ArgumentsRequired, AuthenticationError, BadRequest, BadSymbol, BaseError, DuplicateOrderId, ExchangeError, ExchangeNotAvailable, InsufficientFunds, InvalidOrder, MarketClosed, NetworkError, NotSupported, OnMaintenance, OperationRejected, OrderImmediatelyFillable, OrderNotFound, PermissionDenied, RateLimitExceeded, RequestTimeout } from './base/errors.js';
import { Precise } from './base/Precise.js';
import { DECIMAL_PLACES, ROUND, TICK_SIZE, TRUNCATE } from './base/functions/number.js';
import { sha256 } from '@noble/hashes/sha2.js';
import type { Account, Balances, Currency, Dict, FundingHistory, FundingRate, FundingRates, Int, int, LastPrice, LastPrices, LedgerEntry, Leverage, LeverageTier, LeverageTiers, Leverages, Liquidation, MarginMode, MarginModification, Market, Num, OHLCV, OpenInterest, OpenInterests, Order, OrderBook, OrderRequest, OrderSide, OrderType, Position, Str, Strings, Ticker, Tickers, Trade, TradingFeeInterface, TradingFees, Transaction } from './base/types.js';

//  ---------------------------------------------------------------------------

/**
 * @class openperp
 * @description OpenPerp is a venue for perpetual futures that anyone can run. Set exchange.apiKey, and for a venue on another machine exchange.hostname, which uses https, or exchange.urls['api']['rest'].
 * @augments Exchange
 */
export default class openperp extends Exchange {
    describe (): any {
        return this.deepExtend (super.describe (), {
            'id': 'openperp',
            'name': 'OpenPerp',
            'countries': [],
            'version': 'v1',
            'rateLimit': 2,
            'certified': false,
            'pro': false,
            'dex': false,
            'has': {
                'publicAPI': true,
                'privateAPI': true,
                'CORS': true,
                'sandbox': false,
                'spot': false,
                'margin': false,
                'swap': true,
                'future': false,
                'option': false,
                'index': false,
                'addMargin': true,
                'borrowCrossMargin': false,
                'borrowIsolatedMargin': false,
                'borrowMargin': false,
                'cancelAllOrders': true,
                'cancelAllOrdersAfter': true,
                'cancelAllOrdersWs': false,
                'cancelOrder': true,
                'cancelOrderWithClientOrderId': true,
                'cancelOrderWs': false,
                'cancelOrders': true,
                'cancelOrdersWithClientOrderId': true,
                'cancelOrdersWs': false,
                'closeAllPositions': 'emulated',
                'closePosition': 'emulated',
                'createDepositAddress': false,
                'createLimitBuyOrder': true,
                'createLimitBuyOrderWs': false,
                'createLimitOrder': true,
                'createLimitOrderWs': false,
                'createLimitSellOrder': true,
                'createLimitSellOrderWs': false,
                'createMarketBuyOrder': true,
                'createMarketBuyOrderWs': false,
                'createMarketBuyOrderWithCost': true,
                'createMarketBuyOrderWithCostWs': false,
                'createMarketOrder': true,
                'createMarketOrderWs': false,
                'createMarketOrderWithCost': true,
                'createMarketOrderWithCostWs': false,
                'createMarketSellOrder': true,
                'createMarketSellOrderWs': false,
                'createMarketSellOrderWithCost': true,
                'createMarketSellOrderWithCostWs': false,
                'createOrder': true,
                'createOrderWs': false,
                'createOrders': true,
                'createOrderWithTakeProfitAndStopLoss': true,
                'createOrderWithTakeProfitAndStopLossWs': false,
                'createPostOnlyOrder': true,
                'createPostOnlyOrderWs': false,
                'createReduceOnlyOrder': true,
                'createReduceOnlyOrderWs': false,
                'createStopLimitOrder': true,
                'createStopLimitOrderWs': false,
                'createStopLossOrder': true,
                'createStopLossOrderWs': false,
                'createStopMarketOrder': true,
                'createStopMarketOrderWs': false,
                'createStopOrder': true,
                'createStopOrderWs': false,
                'createTakeProfitOrder': true,
                'createTakeProfitOrderWs': false,
                'createTrailingAmountOrder': true,
                'createTrailingAmountOrderWs': false,
                'createTrailingPercentOrder': true,
                'createTrailingPercentOrderWs': false,
                'createTriggerOrder': true,
                'createTriggerOrderWs': false,
                'deposit': false,
                'editOrder': true,
                'editOrderWithClientOrderId': true,
                'editOrders': true,
                'editOrderWs': false,
                'fetchAccounts': true,
                'fetchADLRank': false,
                'fetchBalance': true,
                'fetchBalanceWs': false,
                'fetchBidsAsks': true,
                'fetchBorrowInterest': false,
                'fetchBorrowRate': false,
                'fetchBorrowRateHistories': false,
                'fetchBorrowRateHistory': false,
                'fetchBorrowRates': false,
                'fetchBorrowRatesPerSymbol': false,
                'fetchCanceledAndClosedOrders': 'emulated',
                'fetchCanceledOrders': true,
                'fetchClosedOrder': false,
                'fetchClosedOrders': true,
                'fetchClosedOrdersWs': false,
                'fetchConvertCurrencies': false,
                'fetchConvertQuote': false,
                'fetchConvertTrade': false,
                'fetchConvertTradeHistory': false,
                'fetchCrossBorrowRate': false,
                'fetchCrossBorrowRates': false,
                'fetchCurrencies': 'emulated',
                'fetchCurrenciesWs': 'emulated',
                'fetchDeposit': false,
                'fetchDepositAddress': false,
                'fetchDepositAddresses': false,
                'fetchDepositAddressesByNetwork': false,
                'fetchDeposits': true,
                'fetchDepositsWithdrawals': true,
                'fetchDepositsWs': false,
                'fetchDepositWithdrawFee': false,
                'fetchDepositWithdrawFees': false,
                'fetchFundingHistory': true,
                'fetchFundingRate': true,
                'fetchFundingRateHistory': true,
                'fetchFundingInterval': true,
                'fetchFundingIntervals': true,
                'fetchFundingRates': true,
                'fetchGreeks': false,
                'fetchIndexOHLCV': true,
                'fetchIsolatedBorrowRate': false,
                'fetchIsolatedBorrowRates': false,
                'fetchMarginAdjustmentHistory': false,
                'fetchIsolatedPositions': false,
                'fetchL2OrderBook': true,
                'fetchL3OrderBook': false,
                'fetchLastPrices': true,
                'fetchLedger': true,
                'fetchLedgerEntry': false,
                'fetchLeverage': true,
                'fetchLeverages': true,
                'fetchLeverageTiers': true,
                'fetchLiquidations': false,
                'fetchLongShortRatio': false,
                'fetchLongShortRatioHistory': false,
                'fetchMarginMode': true,
                'fetchMarginModes': false,
                'fetchMarketLeverageTiers': true,
                'fetchMarkets': true,
                'fetchMarketsWs': 'emulated',
                'fetchMarkOHLCV': true,
                'fetchMyLiquidations': 'emulated',
                'fetchMySettlementHistory': false,
                'fetchMyTrades': true,
                'fetchMyTradesWs': false,
                'fetchOHLCV': true,
                'fetchOHLCVWs': false,
                'fetchOpenInterest': true,
                'fetchOpenInterests': true,
                'fetchOpenInterestHistory': true,
                'fetchOpenOrder': false,
                'fetchOpenOrders': true,
                'fetchOpenOrdersWs': false,
                'fetchOption': false,
                'fetchOptionChain': false,
                'fetchOrder': true,
                'fetchOrderWithClientOrderId': true,
                'fetchOrderBook': true,
                'fetchOrderBooks': false,
                'fetchOrderBookWs': false,
                'fetchOrders': true,
                'fetchOrdersByStatus': false,
                'fetchOrdersWs': false,
                'fetchOrderTrades': true,
                'fetchOrderWs': false,
                'fetchPosition': true,
                'fetchPositionADLRank': true,
                'fetchPositionsADLRank': true,
                'fetchPositionHistory': true,
                'fetchPositionsHistory': true,
                'fetchPositionWs': false,
                'fetchPositionMode': 'emulated',
                'fetchPositions': true,
                'fetchPositionsWs': false,
                'fetchPositionsForSymbol': true,
                'fetchPositionsForSymbolWs': false,
                'fetchPositionsRisk': false,
                'fetchPremiumIndexOHLCV': false,
                'fetchSettlementHistory': false,
                'fetchStatus': true,
                'fetchTicker': true,
                'fetchTickerWs': false,
                'fetchTickers': true,
                'fetchMarkPrices': true,
                'fetchTickersWs': false,
                'fetchTime': true,
                'fetchTrades': true,
                'fetchTradesWs': false,
                'fetchTradingFee': true,
                'fetchTradingFees': true,
                'fetchTradingFeesWs': false,
                'fetchTradingLimits': false,
                'fetchTransactionFee': false,
                'fetchTransactionFees': false,
                'fetchTransactions': 'emulated',
                'fetchTransfer': false,
                'fetchTransfers': false,
                'fetchUnderlyingAssets': false,
                'fetchVolatilityHistory': false,
                'fetchWithdrawAddresses': false,
                'fetchWithdrawal': false,
                'fetchWithdrawals': true,
                'fetchWithdrawalsWs': false,
                'fetchWithdrawalWhitelist': false,
                'reduceMargin': true,
                'repayCrossMargin': false,
                'repayIsolatedMargin': false,
                'setLeverage': true,
                'setMargin': false,
                'setMarginMode': 'emulated',
                'setPositionMode': 'emulated',
                'signIn': false,
                'transfer': false,
                'watchBalance': false,
                'watchMyTrades': false,
                'watchOHLCV': false,
                'watchOHLCVForSymbols': false,
                'watchOrderBook': false,
                'watchBidsAsks': false,
                'watchOrderBookForSymbols': false,
                'watchOrders': false,
                'watchOrdersForSymbols': false,
                'watchPosition': false,
                'watchPositions': false,
                'watchStatus': false,
                'watchTicker': false,
                'watchTickers': false,
                'watchTrades': false,
                'watchTradesForSymbols': false,
                'watchLiquidations': false,
                'watchLiquidationsForSymbols': false,
                'watchMyLiquidations': false,
                'unWatchOrders': false,
                'unWatchTrades': false,
                'unWatchTradesForSymbols': false,
                'unWatchOHLCVForSymbols': false,
                'unWatchOrderBookForSymbols': false,
                'unWatchPositions': false,
                'unWatchOrderBook': false,
                'unWatchTickers': false,
                'unWatchMyTrades': false,
                'unWatchTicker': false,
                'unWatchOHLCV': false,
                'watchMyLiquidationsForSymbols': false,
                'withdraw': true, // of an owner's session, a key is refused
                'ws': false,
            },
            'timeframes': {
                '1m': '1m',
                '3m': '3m',
                '5m': '5m',
                '15m': '15m',
                '30m': '30m',
                '1h': '1h',
                '2h': '2h',
                '4h': '4h',
                '6h': '6h',
                '8h': '8h',
                '12h': '12h',
                '1d': '1d',
                '1w': '1w', // from Monday 00:00 UTC
            },
            'hostname': 'localhost:8080',
            'urls': {
                'logo': 'data:image/svg+xml,%3Csvg%20xmlns%3D%22http%3A%2F%2Fwww.w3.org%2F2000%2Fsvg%22%20width%3D%22180%22%20height%3D%2248%22%3E%3Crect%20width%3D%22180%22%20height%3D%2248%22%20fill%3D%22%2314171c%22%2F%3E%3Ctext%20x%3D%2290%22%20y%3D%2233%22%20font-family%3D%22sans-serif%22%20font-size%3D%2228%22%20text-anchor%3D%22middle%22%20fill%3D%22%23fff%22%3EOpenPerp%3C%2Ftext%3E%3C%2Fsvg%3E',
                'api': {
                    'rest': '{scheme}://{hostname}', // see implodeHostname
                },
                'www': 'http://localhost:8080',
                'doc': 'http://localhost:8080/docs', // every venue serves its own
                'fees': 'http://localhost:8080/docs#/Markets/listMarkets',
            },
            'api': {
                'public': {
                    'get': {
                        'health': { 'cost': 1 },
                        'ready': { 'cost': 1 },
                        'asyncapi.json': { 'cost': 2.5 },
                        'v1/markets': { 'cost': 2.5 },
                        'v1/markets/{marketId}': { 'cost': 2.5 },
                        'v1/markets/{marketId}/stats': { 'cost': 2.5 },
                        'v1/markets/{marketId}/book': { 'cost': 2.5, 'rows': 50, 'rowsPerToken': 250 },
                        'v1/markets/{marketId}/candles': { 'cost': 2.5, 'rows': 500, 'rowsPerToken': 100 },
                        'v1/markets/{marketId}/open-interest': { 'cost': 2.5, 'rows': 100, 'rowsPerToken': 100 },
                        'v1/markets/{marketId}/trades': { 'cost': 2.5, 'rows': 100, 'rowsPerToken': 100 },
                        'v1/markets/{marketId}/funding': { 'cost': 2.5, 'rows': 100, 'rowsPerToken': 100 },
                        'v1/market-data/stats': { 'cost': 2.5 },
                    },
                    'put': {
                        'v1/realtime/ticket': { 'cost': 2.5 },
                    },
                    'delete': {
                        'v1/realtime/ticket': { 'cost': 2.5 },
                    },
                },
                'private': {
                    'get': {
                        'v1/api-keys/current': { 'cost': 2.5 },
                        'v1/orders/{orderId}': { 'cost': 2.5 },
                        'v1/orders/by-client-order-id/{clientOrderId}': { 'cost': 2.5 },
                        'v1/accounts/{accountId}': { 'cost': 2.5 },
                        'v1/accounts/{accountId}/positions': { 'cost': 2.5 },
                        'v1/accounts/{accountId}/positions/history': { 'cost': 2.5, 'rows': 100, 'rowsPerToken': 50 },
                        'v1/accounts/{accountId}/leverage': { 'cost': 2.5 },
                        'v1/accounts/{accountId}/orders': { 'cost': 2.5, 'rows': 100, 'rowsPerToken': 50 },
                        'v1/accounts/{accountId}/orders/open': { 'cost': 2.5, 'rows': 100, 'rowsPerToken': 50 },
                        'v1/accounts/{accountId}/fills': { 'cost': 2.5, 'rows': 100, 'rowsPerToken': 50 },
                        'v1/accounts/{accountId}/funding': { 'cost': 2.5, 'rows': 100, 'rowsPerToken': 50 },
                        'v1/accounts/{accountId}/ledger': { 'cost': 2.5, 'rows': 100, 'rowsPerToken': 50 },
                        'v1/accounts/{accountId}/transfers': { 'cost': 2.5, 'rows': 50, 'rowsPerToken': 50 },
                        'v1/accounts/{accountId}/party': { 'cost': 2.5 },
                    },
                    'post': {
                        'v1/accounts/{accountId}/positions/{marketId}/margin': { 'cost': 1 },
                        'v1/orders': { 'cost': 1 },
                        'v1/orders/amend': { 'cost': 1 },
                        'v1/orders/batch': { 'cost': 1 },
                        'v1/orders/batch/amend': { 'cost': 1 },
                        'v1/orders/batch/cancel': { 'cost': 1 },
                        'v1/orders/by-client-order-id/{clientOrderId}/cancel': { 'cost': 1 },
                        'v1/orders/cancel-all': { 'cost': 1 },
                        'v1/orders/cancel-all-after': { 'cost': 1 },
                        'v1/orders/preview': { 'cost': 1 },
                        'v1/orders/{orderId}/cancel': { 'cost': 1 },
                        'v1/realtime/ticket': { 'cost': 2.5 },
                        'v1/withdrawals': { 'cost': 250 },
                    },
                    'put': {
                        'v1/accounts/{accountId}/leverage/{marketId}': { 'cost': 25 }, // the venue takes 20 at once, then one per second: that spacing would delay the order that follows
                    },
                },
            },
            'fees': {
                'trading': {
                    'tierBased': false,
                    'percentage': true,
                },
            },
            'requiredCredentials': {
                'apiKey': true,
                'secret': false,
            },
            'exceptions': {
                'exact': {
                    // faults of the request itself
                    'invalid_request': BadRequest,
                    'malformed_json': BadRequest,
                    'malformed_request': BadRequest,
                    'invalid_cursor': BadRequest,
                    'idempotency_key_required': BadRequest,
                    'idempotency_key_invalid': BadRequest,
                    'unknown_market': BadSymbol,
                    'price_off_tick': InvalidOrder,
                    'quantity_off_lot': InvalidOrder,
                    'notional_too_fine': InvalidOrder,
                    'path_not_found': NotSupported,
                    'method_not_allowed': NotSupported,
                    'not_supported': NotSupported,
                    'request_timeout': RequestTimeout,
                    'payload_too_large': BadRequest,
                    'unsupported_media_type': BadRequest,
                    'headers_too_large': BadRequest,
                    // authentication and permissions
                    'unauthorized': AuthenticationError,
                    'realtime_ticket_rejected': AuthenticationError,
                    'insufficient_scope': PermissionDenied,
                    'session_required': PermissionDenied,
                    'not_an_api_key': PermissionDenied,
                    'passkey_required': PermissionDenied,
                    'authorization_pending': OperationRejected,
                    'slow_down': RateLimitExceeded,
                    'access_denied': PermissionDenied,
                    'expired_token': AuthenticationError,
                    'invalid_grant': AuthenticationError,
                    'user_code_not_found': BadRequest,
                    'device_grant_decided': BadRequest,
                    'too_many_device_grants': RateLimitExceeded,
                    'account_forbidden': PermissionDenied,
                    'account_not_enabled': AccountNotEnabled,
                    // unknown resources
                    'account_not_found': BadRequest,
                    'market_not_found': BadSymbol,
                    'order_not_found': OrderNotFound,
                    'api_key_not_found': BadRequest,
                    'withdrawal_not_found': BadRequest,
                    // violations of a market's rules
                    'price_out_of_bounds': InvalidOrder,
                    'quantity_out_of_bounds': InvalidOrder,
                    'notional_too_small': InvalidOrder,
                    'expiry_out_of_bounds': InvalidOrder,
                    'order_not_amendable': InvalidOrder,
                    'timeout_out_of_bounds': BadRequest,
                    'quantity_already_filled': InvalidOrder,
                    'leverage_too_high': InvalidOrder,
                    'market_invalid': BadRequest,
                    'amount_out_of_bounds': BadRequest,
                    'batch_size_invalid': BadRequest,
                    'transfer_to_itself': BadRequest,
                    // conflicts with the present state
                    'idempotency_conflict': DuplicateOrderId, // of params.idempotencyKey
                    'duplicate_client_order_id': DuplicateOrderId,
                    'market_not_open': MarketClosed,
                    'market_reduce_only': OperationRejected,
                    'market_transition_invalid': BadRequest,
                    'market_busy': OperationRejected,
                    'nothing_to_advance': BadRequest,
                    'order_not_open': OrderNotFound, // a cancel of a closed order
                    'price_out_of_band': InvalidOrder,
                    'insufficient_margin': InsufficientFunds,
                    'insufficient_cash': InsufficientFunds,
                    'margin_required': InsufficientFunds,
                    'position_not_found': BadRequest,
                    'post_only_would_cross': OrderImmediatelyFillable,
                    'reduce_only_would_increase': InvalidOrder,
                    'trigger_reached': InvalidOrder,
                    'linked_order_not_waiting': InvalidOrder,
                    'trigger_invalid': BadRequest,
                    'too_many_open_orders': OperationRejected,
                    'too_many_positions': OperationRejected,
                    'exposure_limit': InvalidOrder,
                    'position_limit': InvalidOrder,
                    'account_retired': AccountSuspended,
                    'account_legacy_excluded': AccountSuspended,
                    'account_busy': OperationRejected,
                    'api_key_invalid': BadRequest,
                    'too_many_api_keys': BadRequest,
                    'too_many_realtime_tickets': RateLimitExceeded,
                    'api_key_exists': BadRequest,
                    'environment_bound': BadRequest,
                    'capability_invalid': BadRequest,
                    'affiliate_registered': OperationRejected,
                    'referral_code_invalid': BadRequest,
                    'kyc_skipped': OperationRejected,
                    'market_exists': BadRequest,
                    'registration_invalid': BadRequest,
                    'identity_registered': BadRequest,
                    'owner_not_found': BadRequest,
                    'passkey_invalid': BadRequest,
                    'passkey_exists': BadRequest,
                    'passkey_not_found': BadRequest,
                    'passkey_counter_invalid': PermissionDenied,
                    'last_passkey': OperationRejected,
                    'too_many_passkeys': BadRequest,
                    'setup_key_active': OperationRejected,
                    'setup_complete': OperationRejected,
                    'setup_unavailable': OperationRejected,
                    'ledger_reference_invalid': BadRequest,
                    'party_state_conflict': OperationRejected,
                    'party_exists': BadRequest,
                    'wallet_exists': OperationRejected,
                    'consent_state_conflict': OperationRejected,
                    'faucet_granted': OperationRejected,
                    'funding_intent_not_found': BadRequest,
                    'funding_intent_bound': OperationRejected,
                    'deposit_not_found': BadRequest,
                    'deposit_state_conflict': OperationRejected,
                    'destination_not_allowed': PermissionDenied,
                    'too_many_withdrawals': OperationRejected,
                    'withdrawal_state_conflict': OperationRejected,
                    'ledger_bound': BadRequest,
                    'money_id_used': OperationRejected,
                    'money_id_invalid': BadRequest,
                    'ledger_offset_known': OperationRejected,
                    'agents_not_admitted': OperationRejected,
                    'agent_account_invalid': BadRequest,
                    'too_many_agent_accounts': OperationRejected,
                    'agent_account_not_found': BadRequest,
                    'agent_account_not_ready': OperationRejected,
                    'agent_script_invalid': BadRequest,
                    'agent_script_refused': BadRequest,
                    'unknown_strategy': BadRequest,
                    'agent_review_changed': OperationRejected,
                    'too_many_agent_drafts': OperationRejected,
                    'agent_draft_not_found': BadRequest,
                    'agent_draft_not_reviewed': OperationRejected,
                    'agent_draft_in_use': OperationRejected,
                    'agent_deployment_invalid': BadRequest,
                    'too_many_agent_deployments': OperationRejected,
                    'agent_deployment_not_found': BadRequest,
                    'agent_deployment_ended': OperationRejected,
                    'agent_state_conflict': OperationRejected,
                    'agent_order_invalid': BadRequest,
                    'agent_order_repeated': OperationRejected,
                    'agent_funding_invalid': BadRequest,
                    'agent_funding_exists': OperationRejected,
                    'too_many_agent_fundings': OperationRejected,
                    'agent_funding_not_found': BadRequest,
                    'agent_funding_expired': OperationRejected,
                    'agent_funding_state_conflict': OperationRejected,
                    'unknown_provider': BadRequest,
                    'attempt_rejected': OperationRejected,
                    'sign_in_rejected': PermissionDenied,
                    'identity_not_registered': BadRequest,
                    'mapping_forbidden': PermissionDenied,
                    'passkey_rejected': PermissionDenied,
                    'challenge_rejected': OperationRejected,
                    'signature_rejected': PermissionDenied,
                    'no_usable_passkey': OperationRejected,
                    'setup_key_busy': OperationRejected,
                    // temporary failures of the venue
                    'rate_limited': RateLimitExceeded,
                    'internal_error': ExchangeNotAvailable, // an order may have been placed
                    'mark_price_unavailable': MarketClosed,
                    'index_not_current': MarketClosed,
                    'dependency_unavailable': ExchangeNotAvailable,
                    'source_unavailable': ExchangeNotAvailable,
                    'upstream_unavailable': ExchangeNotAvailable,
                    'venue_busy': ExchangeNotAvailable,
                    'venue_halted': OnMaintenance,
                    'intake_paused': OnMaintenance,
                    'capability_unavailable': ExchangeNotAvailable,
                },
                'broad': {},
            },
            'precisionMode': TICK_SIZE,
            'commonCurrencies': {},
            'options': {
                'defaultType': 'swap',
            },
            'features': {
                'spot': undefined,
                'swap': {
                    'linear': {
                        'sandbox': false,
                        'createOrder': {
                            'marginMode': false,
                            'triggerPrice': true,
                            'triggerPriceType': {
                                'last': true,
                                'mark': true,
                                'index': true,
                            },
                            'triggerDirection': true,
                            'stopLossPrice': true,
                            'takeProfitPrice': true,
                            'attachedStopLossTakeProfit': {
                                'triggerPriceType': {
                                    'last': true,
                                    'mark': true,
                                    'index': true,
                                },
                                'price': true,
                            },
                            'timeInForce': {
                                'IOC': true,
                                'FOK': true,
                                'PO': true,
                                'GTD': true,
                            },
                            'hedged': false,
                            'trailing': true,
                            'leverage': true,
                            'marketBuyByCost': true,
                            'marketBuyRequiresPrice': false,
                            'selfTradePrevention': false,
                            'iceberg': false,
                        },
                        'createOrders': {
                            'max': 32,
                        },
                        'fetchMyTrades': {
                            'marginMode': false,
                            'limit': 500,
                            'daysBack': undefined,
                            'untilDays': undefined,
                            'symbolRequired': false,
                        },
                        'fetchOrder': {
                            'marginMode': false,
                            'trigger': true,
                            'trailing': true,
                            'symbolRequired': false,
                        },
                        'fetchOpenOrders': {
                            'marginMode': false,
                            'limit': 500,
                            'trigger': true,
                            'trailing': true,
                            'symbolRequired': false,
                        },
                        'fetchOrders': {
                            'marginMode': false,
                            'limit': 500,
                            'daysBack': undefined,
                            'untilDays': undefined,
                            'trigger': true,
                            'trailing': true,
                            'symbolRequired': false,
                        },
                        'fetchClosedOrders': {
                            'marginMode': false,
                            'limit': 500,
                            'daysBack': undefined,
                            'daysBackCanceled': undefined,
                            'untilDays': undefined,
                            'trigger': true,
                            'trailing': true,
                            'symbolRequired': false,
                        },
                        'fetchOHLCV': {
                            'limit': 1000,
                        },
                    },
                    'inverse': undefined,
                },
                'future': {
                    'linear': undefined,
                    'inverse': undefined,
                },
                'option': {
                    'linear': undefined,
                    'inverse': undefined,
                },
            },
        });
    }

    statedParams (): Dict {
        // params of other venues, with the values that say what is so here anyway; see ownParams
        return {
            'positionSide': [ 'both', 'net' ],
            'posSide': [ 'both', 'net' ],
            'positionIdx': [ '0' ],
            'position_idx': [ '0' ],
            'hedged': [ 'false' ],
            'tdMode': [ 'isolated' ],
            'mgnMode': [ 'isolated' ],
            'marginMode': [ 'isolated' ],
            'marginType': [ 'isolated' ],
            'type': [ 'swap' ],
            'subType': [ 'linear' ],
            'category': [ 'linear' ],
            'acknowledged': [ 'true', 'false' ], // orders are read in one place, open or ended
            'stop': [ 'false' ],
            'trigger': [ 'false' ],
            'trailing': [ 'false' ],
        };
    }

    ownParams (methodName: string, params: Dict = {}): Dict {
        // without the params of other venues: they are not sent, and refused if they say what is not so
        const keys = Object.keys (params);
        const length = keys.length;
        if (length === 0) {
            return params;
        }
        const stated = this.statedParams ();
        const names = [];
        for (let i = 0; i < length; i++) {
            const name = keys[i];
            if (name in stated) {
                const text = this.lowerTextOf (params, name);
                if ((text !== undefined) && !this.inArray (text, stated[name])) {
                    throw new NotSupported (this.id + ' ' + methodName + '() does not support params.' + name + ' ' + text + ': omit it, or send ' + stated[name][0]);
                }
                names.push (name);
            }
        }
        return this.omit (params, names);
    }

    lowerTextOf (params: Dict, name: string): Str {
        // of a string, a number or a flag; undefined if the param is absent
        this.checkNotEmpty (params, name);
        const value = this.safeValue (params, name);
        if (value === undefined) {
            return undefined;
        }
        if (typeof value === 'boolean') {
            return value ? 'true' : 'false';
        }
        const text = this.safeString (params, name);
        if (text === undefined) {
            throw new BadRequest (this.id + ' params.' + name + ' must be a string, a number or a flag');
        }
        return text.toLowerCase ();
    }

    handlePositionSide (type: OrderType, side: OrderSide, params: Dict = {}): Dict {
        // an account has one position in a market: the side of the position follows from the side of the order and reduceOnly
        const names = [ 'positionSide', 'posSide' ];
        if (!('positionSide' in params) && !('posSide' in params)) {
            return params;
        }
        const isReduceOnly = this.isReduceOnly (type, params);
        const closes = (side === 'sell') ? 'long' : 'short';
        const opens = (side === 'sell') ? 'short' : 'long';
        for (let i = 0; i < names.length; i++) {
            const name = names[i];
            const positionSide = this.lowerTextOf (params, name);
            if ((positionSide === opens) && isReduceOnly) {
                throw new BadRequest (this.id + ' createOrder() a reduce-only ' + side + ' closes a ' + closes + ' position: send params.' + name + ' ' + closes.toUpperCase () + ', or omit it');
            }
            if ((positionSide === closes) && !isReduceOnly) {
                throw new BadRequest (this.id + ' createOrder() a ' + side + ' may open a ' + opens + ' position, because positions are one-way: to close a ' + closes + ' position send params.reduceOnly true, otherwise omit params.' + name);
            }
            if ((positionSide === opens) || (positionSide === closes)) {
                params = this.omit (params, name);
            }
        }
        return params;
    }

    setSandboxMode (enabled: boolean) {
        // without a url of its own, the sandbox would be the live venue
        const test = this.safeDict (this.urls, 'test', {});
        if (enabled && (this.safeString (test, 'rest') === undefined)) {
            throw new NotSupported (this.id + ' has no sandbox: set exchange.urls["test"]["rest"] to the url of a test venue');
        }
        super.setSandboxMode (enabled);
    }

    implodeHostname (url: string): string {
        // requests carry the API key, so plain http is used for this machine only, or if urls.api says so
        if ((this.hostname !== undefined) && (this.hostname.indexOf ('/') >= 0)) {
            throw new BadRequest (this.id + ' hostname must be a name and a port, such as venue.example:8080: to give a url, set urls.api.rest');
        }
        const isLoopback = this.isLoopback (this.hostname);
        const scheme = isLoopback ? 'http' : 'https';
        return this.implodeParams (url, { 'scheme': scheme, 'hostname': this.hostname });
    }

    isLoopback (hostname: Str): boolean {
        if ((hostname === undefined) || (hostname.indexOf ('@') >= 0)) {
            return false; // the part before an @ is not a host
        }
        if ((hostname === '[::1]') || (hostname.indexOf ('[::1]:') === 0)) {
            return true;
        }
        const parts = hostname.split (':');
        const host = parts[0].toLowerCase ();
        if (host === 'localhost') {
            return true;
        }
        if (host.indexOf ('127.') !== 0) {
            return false;
        }
        const digits = '0123456789.';
        for (let i = 0; i < host.length; i++) {
            if (digits.indexOf (host[i]) < 0) {
                return false; // a host name that starts like an ip address
            }
        }
        return true;
    }

    calculateRateLimiterCost (api: any, method: any, path: any, params: any, config: any = {}): number {
        // the venue counts a batch by its entries, and a page by its maximum of rows
        const cost = this.safeNumber (config, 'cost', 1);
        const rowsPerToken = this.safeInteger (config, 'rowsPerToken');
        if (rowsPerToken !== undefined) {
            const rows = this.safeInteger2 (params, 'limit', 'depth', this.safeInteger (config, 'rows'));
            const tokens = Math.ceil (rows / rowsPerToken);
            return cost * Math.max (tokens, 1);
        }
        const ids = this.safeList2 (params, 'orderIds', 'clientOrderIds', []);
        const entries = this.safeList2 (params, 'orders', 'amendments', ids);
        const length = entries.length;
        return cost * Math.max (length, 1);
    }

    /**
     * @method
     * @name openperp#fetchTime
     * @description fetches the current integer timestamp in milliseconds from the exchange server
     * @see http://localhost:8080/docs#/System/getHealth
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {int} the current integer timestamp in milliseconds from the exchange server
     */
    async fetchTime (params: Dict = {}): Promise<Int> {
        params = this.ownParams ('fetchTime', params);
        const response = await this.publicGetHealth (params);
        //
        //     {
        //         "status": "ok",
        //         "contractVersion": "0.1.0",
        //         "serverTimeEpochMs": 1763670000000
        //     }
        //
        return this.safeInteger (response, 'serverTimeEpochMs');
    }

    /**
     * @method
     * @name openperp#fetchStatus
     * @description the latest known information on the availability of the exchange API
     * @see http://localhost:8080/docs#/System/getReady
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object} a [status structure]{@link https://docs.ccxt.com/?id=exchange-status-structure}
     */
    async fetchStatus (params: Dict = {}) {
        params = this.ownParams ('fetchStatus', params);
        const response = await this.publicGetReady (params);
        //
        //     {
        //         "status": "ready", // or "not_ready", with http status 503
        //         "reasons": [],
        //         "journalSequence": 1234
        //     }
        //
        const status = this.safeString (response, 'status');
        return {
            'status': (status === 'ready') ? 'ok' : 'maintenance',
            'updated': undefined,
            'eta': undefined,
            'url': undefined,
            'info': response,
        };
    }

    /**
     * @method
     * @name openperp#fetchMarkets
     * @description retrieves data on all markets for openperp
     * @see http://localhost:8080/docs#/Markets/listMarkets
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object[]} an array of objects representing market data
     */
    async fetchMarkets (params: Dict = {}): Promise<Market[]> {
        params = this.ownParams ('fetchMarkets', params);
        const response = await this.publicGetV1Markets (params);
        //
        //     {
        //         "version": "external-market-catalog/v1",
        //         "markets": [
        //             {
        //                 "marketId": "BTC-USD-PERP",
        //                 "underlyingSymbol": "BTC",
        //                 "marketType": "crypto",
        //                 "logoUnavailable": true,
        //                 "status": "open", // draft, open, reduce_only, cancel_only, closed
        //                 "priceScale": 1,
        //                 "quantityScale": 5,
        //                 "minPrice": "0.1",
        //                 "maxPrice": "10000000",
        //                 "minQuantity": "0.00001",
        //                 "maxQuantity": "100",
        //                 "initialMarginBps": 200,
        //                 "maintenanceMarginTiers": [
        //                     { "notionalThresholdAtoms": "0", "maintenanceMarginBps": 100, "initialMarginBps": 200, "maxLeverageX": 50 }
        //                 ],
        //                 "maxLeverageX": 50,
        //                 "makerFeeBps": 1,
        //                 "takerFeeBps": 5,
        //                 "settlementAsset": "USD.E",
        //                 "settlementAssetDecimals": 6,
        //                 "lastPriceAtoms": "1000000",
        //                 "lastPrice": "100000",
        //                 "change24hBps": "12",
        //                 "favorite": false,
        //                 "baseAsset": "BTC",
        //                 "quoteAsset": "USD.E",
        //                 "contractSize": "1",
        //                 "tickSize": "0.1",
        //                 "lotSize": "0.00001",
        //                 "maxPositionQuantity": "800",
        //                 "maxPositionNotional": "562949953.421312",
        //                 "priceBandBps": 1000,
        //                 "markBandBps": 50
        //             }
        //         ],
        //         "snapshotSequence": 1234,
        //         "readModelDigest": "sha256:..."
        //     }
        //
        const markets = this.safeList (response, 'markets', []);
        return this.parseMarkets (markets);
    }

    parseMarket (market: Dict): Market {
        const marketId = this.safeString (market, 'marketId');
        const baseId = this.safeString (market, 'baseAsset');
        const quoteId = this.safeString (market, 'quoteAsset');
        const settleId = this.safeString (market, 'settlementAsset');
        const base = this.safeCurrencyCode (baseId);
        const quote = this.safeCurrencyCode (quoteId);
        const settle = this.safeCurrencyCode (settleId);
        const status = this.safeString (market, 'status');
        const settleTick = this.parseNumber (this.parsePrecision (this.safeString (market, 'settlementAssetDecimals')));
        return this.safeMarketStructure ({
            'id': marketId,
            'symbol': base + '/' + quote + ':' + settle,
            'base': base,
            'quote': quote,
            'settle': settle,
            'baseId': baseId,
            'quoteId': quoteId,
            'settleId': settleId,
            'type': 'swap',
            'subType': 'linear',
            'spot': false,
            'margin': false,
            'swap': true,
            'future': false,
            'option': false,
            'index': false,
            'active': (status === 'open'),
            'contract': true,
            'linear': true,
            'inverse': false,
            'taker': this.parseNumber (this.parseBps (this.safeString (market, 'takerFeeBps'))),
            'maker': this.parseNumber (this.parseBps (this.safeString (market, 'makerFeeBps'))),
            'contractSize': this.safeNumber (market, 'contractSize'),
            'expiry': undefined,
            'expiryDatetime': undefined,
            'strike': undefined,
            'optionType': undefined,
            'precision': {
                'amount': this.safeNumber (market, 'lotSize'),
                'price': this.safeNumber (market, 'tickSize'),
                'cost': settleTick,
                'quote': settleTick,
            },
            'limits': {
                'leverage': {
                    'min': this.parseNumber ('1'),
                    'max': this.safeNumber (market, 'maxLeverageX'),
                },
                'amount': {
                    'min': this.safeNumber (market, 'minQuantity'),
                    'max': this.safeNumber (market, 'maxQuantity'),
                },
                'price': {
                    'min': this.safeNumber (market, 'minPrice'),
                    'max': this.safeNumber (market, 'maxPrice'),
                },
                'cost': {
                    'min': this.parseNumber ('0'),
                    'max': undefined,
                },
            },
            'marginModes': {
                'cross': false,
                'isolated': true,
            },
            'created': undefined,
            'info': market,
        });
    }

    parseBps (bps: Str): Str {
        // basis points, 5 is 0.0005
        return Precise.stringDiv (bps, '10000');
    }

    /**
     * @method
     * @name openperp#fetchTicker
     * @description fetches a price ticker, a statistical calculation with the information calculated over the past 24 hours for a specific market
     * @see http://localhost:8080/docs#/Markets/getMarketStats
     * @param {string} symbol unified symbol of the market to fetch the ticker for
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object} a [ticker structure]{@link https://docs.ccxt.com/?id=ticker-structure}
     */
    async fetchTicker (symbol: string, params: Dict = {}): Promise<Ticker> {
        params = this.ownParams ('fetchTicker', params);
        const response = await this.fetchMarketStats (symbol, params);
        const market = this.market (symbol);
        return this.parseTicker (response, market);
    }

    /**
     * @method
     * @name openperp#fetchTickers
     * @description fetches price tickers for multiple markets, in one request
     * @see http://localhost:8080/docs#/Market%20Data/listMarketStats
     * @param {string[]} [symbols] unified symbols of the markets to fetch the ticker for, all market tickers are returned if not assigned
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object} a dictionary of [ticker structures]{@link https://docs.ccxt.com/?id=ticker-structure}
     */
    async fetchTickers (symbols: Strings = undefined, params: Dict = {}): Promise<Tickers> {
        params = this.ownParams ('fetchTickers', params);
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        symbols = this.symbolsOrAll (symbols);
        const stats = await this.fetchAllMarketStats (params);
        return this.parseTickers (stats, symbols);
    }

    /**
     * @method
     * @name openperp#fetchBidsAsks
     * @description fetches the bid and ask price and volume for multiple markets
     * @see http://localhost:8080/docs#/Market%20Data/listMarketStats
     * @param {string[]} [symbols] unified symbols of the markets to fetch the bids and asks for, all markets are returned if not assigned
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object} a dictionary of [ticker structures]{@link https://docs.ccxt.com/?id=ticker-structure}
     */
    async fetchBidsAsks (symbols: Strings = undefined, params: Dict = {}): Promise<Tickers> {
        return await this.fetchTickers (symbols, params);
    }

    /**
     * @method
     * @name openperp#fetchMarkPrices
     * @description fetches mark prices for multiple markets, and their index prices
     * @see http://localhost:8080/docs#/Market%20Data/listMarketStats
     * @param {string[]} [symbols] unified symbols of the markets to fetch the mark prices for, all markets are returned if not assigned
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object} a dictionary of [ticker structures]{@link https://docs.ccxt.com/?id=ticker-structure}
     */
    async fetchMarkPrices (symbols: Strings = undefined, params: Dict = {}): Promise<Tickers> {
        return await this.fetchTickers (symbols, params);
    }

    async fetchAllMarketStats (params: Dict = {}): Promise<Dict[]> {
        const response = await this.publicGetV1MarketDataStats (params);
        //
        //     {
        //         "version": "external-market-stats-list/v1",
        //         "stats": [], // see fetchMarketStats
        //         "freshness": { "status": "fresh", "asOfEpochMs": 1763670000123 }
        //     }
        //
        return this.safeList (response, 'stats', []);
    }

    symbolsOrAll (symbols: Strings = undefined): Strings {
        // an empty list means all markets, like undefined
        if (symbols !== undefined) {
            const length = symbols.length;
            if (length === 0) {
                return undefined;
            }
        }
        return this.marketSymbols (symbols);
    }

    async fetchMarketStats (symbol: string, params: Dict = {}): Promise<Dict> {
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        const market = this.market (symbol);
        const request: Dict = {
            'marketId': market['id'],
        };
        //
        //     {
        //         "version": "external-market-stats/v1",
        //         "marketId": "BTC-USD-PERP",
        //         "status": "open",
        //         "lastPrice": "100000.5",
        //         "lastQuantity": "0.012",
        //         "lastTradeAtEpochMs": 1763670000000,
        //         "markPrice": "100001.2",
        //         "indexPrice": "100002.4",
        //         "indexObservedAtEpochMs": 1763670000000,
        //         "bestBidPrice": "100000.1",
        //         "bestBidQuantity": "0.5",
        //         "bestAskPrice": "100000.9",
        //         "bestAskQuantity": "0.4",
        //         "openPrice24h": "99000",
        //         "highPrice24h": "100500",
        //         "lowPrice24h": "98500",
        //         "change24hBps": "101",
        //         "baseVolume24h": "12.5",
        //         "quoteVolume24h": "1248000.25",
        //         "openInterest": "3.25",
        //         "estimatedFundingRate": "0.0000125", // longs pay shorts, if negative shorts pay longs
        //         "nextFundingAtEpochMs": 1763672400000,
        //         "lastFundingRate": "0.0000125",
        //         "lastFundingAtEpochMs": 1763668800000,
        //         "sequence": 1234,
        //         "asOfEpochMs": 1763670000123
        //     }
        //
        return await this.publicGetV1MarketsMarketIdStats (this.extend (request, params));
    }

    parseTicker (ticker: Dict, market: Market = undefined): Ticker {
        const marketId = this.safeString (ticker, 'marketId');
        market = this.safeMarket (marketId, market);
        const timestamp = this.safeInteger (ticker, 'asOfEpochMs');
        const last = this.safeString (ticker, 'lastPrice');
        return this.safeTicker ({
            'symbol': market['symbol'],
            'timestamp': timestamp,
            'datetime': this.iso8601 (timestamp),
            'high': this.safeString (ticker, 'highPrice24h'),
            'low': this.safeString (ticker, 'lowPrice24h'),
            'bid': this.safeString (ticker, 'bestBidPrice'),
            'bidVolume': this.safeString (ticker, 'bestBidQuantity'),
            'ask': this.safeString (ticker, 'bestAskPrice'),
            'askVolume': this.safeString (ticker, 'bestAskQuantity'),
            'vwap': undefined,
            'open': this.safeString (ticker, 'openPrice24h'),
            'close': last,
            'last': last,
            'previousClose': undefined,
            'change': undefined,
            'percentage': undefined,
            'average': undefined,
            'baseVolume': this.safeString (ticker, 'baseVolume24h'),
            'quoteVolume': this.safeString (ticker, 'quoteVolume24h'),
            'markPrice': this.safeString (ticker, 'markPrice'),
            'indexPrice': this.safeString (ticker, 'indexPrice'),
            'info': ticker,
        }, market);
    }

    /**
     * @method
     * @name openperp#fetchLastPrices
     * @description fetches the last price for multiple markets
     * @see http://localhost:8080/docs#/Markets/listMarkets
     * @param {string[]} [symbols] unified symbols of the markets to fetch the last prices, all if not assigned
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object} a dictionary of last price structures
     */
    async fetchLastPrices (symbols: Strings = undefined, params: Dict = {}): Promise<LastPrices> {
        params = this.ownParams ('fetchLastPrices', params);
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        symbols = this.symbolsOrAll (symbols);
        const response = await this.publicGetV1Markets (params);
        const markets = this.safeList (response, 'markets', []);
        return this.parseLastPrices (markets, symbols);
    }

    parseLastPrice (price: any, market: Market = undefined): LastPrice {
        const marketId = this.safeString (price, 'marketId');
        market = this.safeMarket (marketId, market);
        return {
            'symbol': market['symbol'],
            'timestamp': undefined,
            'datetime': undefined,
            'price': this.safeNumber (price, 'lastPrice'),
            'side': undefined,
            'info': price,
        };
    }

    /**
     * @method
     * @name openperp#fetchOpenInterest
     * @description retrieves the open interest of a market
     * @see http://localhost:8080/docs#/Markets/getMarketStats
     * @param {string} symbol unified market symbol
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object} an [open interest structure]{@link https://docs.ccxt.com/?id=open-interest-structure}
     */
    async fetchOpenInterest (symbol: string, params: Dict = {}): Promise<OpenInterest> {
        params = this.ownParams ('fetchOpenInterest', params);
        const response = await this.fetchMarketStats (symbol, params);
        const market = this.market (symbol);
        return this.parseOpenInterest (response, market);
    }

    /**
     * @method
     * @name openperp#fetchOpenInterestHistory
     * @description retrieves the open interest of a market by time: of each span in which it changed, the value after the last change
     * @see http://localhost:8080/docs#/Markets/listOpenInterest
     * @param {string} symbol unified market symbol
     * @param {string} [timeframe] a timeframe of candles from 5m on
     * @param {int} [since] timestamp in ms of the earliest span
     * @param {int} [limit] the maximum amount of structures to retrieve, at most 500
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object[]} a list of [open interest structures]{@link https://docs.ccxt.com/?id=open-interest-structure}
     */
    async fetchOpenInterestHistory (symbol: string, timeframe: string = '1h', since: Int = undefined, limit: Int = undefined, params: Dict = {}): Promise<OpenInterest[]> {
        params = this.ownParams ('fetchOpenInterestHistory', params);
        const interval = this.safeString (this.timeframes, timeframe);
        if ((interval === undefined) || (timeframe === '1m') || (timeframe === '3m')) {
            throw new NotSupported (this.id + ' fetchOpenInterestHistory() does not support the timeframe ' + timeframe + ': send a timeframe of candles from 5m on');
        }
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        const market = this.market (symbol);
        const request: Dict = {
            'marketId': market['id'],
            'timeframe': interval,
            'limit': (limit === undefined) ? 500 : Math.min (limit, 500),
        };
        if (since !== undefined) {
            request['since'] = since;
        }
        const response = await this.publicGetV1MarketsMarketIdOpenInterest (this.extend (request, params));
        //
        //     {
        //         "version": "external-open-interest-series/v1",
        //         "marketId": "BTC-USD-PERP",
        //         "timeframe": "1h",
        //         "entries": [
        //             {
        //                 "openTimeEpochMs": 1763670000000,
        //                 "openInterest": "3.25",
        //                 "openInterestNotional": "325003.9"
        //             }
        //         ],
        //         "sequence": 1234,
        //         "asOfEpochMs": 1763670000123
        //     }
        //
        const entries = this.safeList (response, 'entries', []);
        return this.parseOpenInterestsHistory (entries, market, since, limit) as OpenInterest[];
    }

    parseOpenInterest (interest: any, market: Market = undefined): OpenInterest {
        const marketId = this.safeString (interest, 'marketId');
        market = this.safeMarket (marketId, market);
        const timestamp = this.safeInteger2 (interest, 'asOfEpochMs', 'openTimeEpochMs');
        const amount = this.safeString (interest, 'openInterest');
        const markPrice = this.safeString (interest, 'markPrice');
        return this.safeOpenInterest ({
            'symbol': market['symbol'],
            'openInterestAmount': amount,
            'openInterestValue': this.safeString (interest, 'openInterestNotional', Precise.stringMul (amount, markPrice)),
            'timestamp': timestamp,
            'datetime': this.iso8601 (timestamp),
            'info': interest,
        }, market);
    }

    /**
     * @method
     * @name openperp#fetchOpenInterests
     * @description retrieves the open interest of multiple markets, in one request
     * @see http://localhost:8080/docs#/Market%20Data/listMarketStats
     * @param {string[]} [symbols] unified symbols of the markets, all markets are returned if not assigned
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object} a dictionary of [open interest structures]{@link https://docs.ccxt.com/?id=open-interest-structure}
     */
    async fetchOpenInterests (symbols: Strings = undefined, params: Dict = {}): Promise<OpenInterests> {
        params = this.ownParams ('fetchOpenInterests', params);
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        symbols = this.symbolsOrAll (symbols);
        const stats = await this.fetchAllMarketStats (params);
        return this.parseOpenInterests (stats, symbols) as OpenInterests;
    }

    /**
     * @method
     * @name openperp#fetchFundingRate
     * @description fetch the estimated funding rate of the current period, and the last settled one
     * @see http://localhost:8080/docs#/Markets/getMarketStats
     * @param {string} symbol unified market symbol
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object} a [funding rate structure]{@link https://docs.ccxt.com/?id=funding-rate-structure}
     */
    async fetchFundingRate (symbol: string, params: Dict = {}): Promise<FundingRate> {
        params = this.ownParams ('fetchFundingRate', params);
        const response = await this.fetchMarketStats (symbol, params);
        const market = this.market (symbol);
        return this.parseFundingRate (response, market);
    }

    /**
     * @method
     * @name openperp#fetchFundingRates
     * @description fetch the funding rates of multiple markets, in one request
     * @see http://localhost:8080/docs#/Market%20Data/listMarketStats
     * @param {string[]} [symbols] unified symbols of the markets, all markets are returned if not assigned
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object[]} a dictionary of [funding rate structures]{@link https://docs.ccxt.com/?id=funding-rates-structure}, indexed by market symbols
     */
    async fetchFundingRates (symbols: Strings = undefined, params: Dict = {}): Promise<FundingRates> {
        params = this.ownParams ('fetchFundingRates', params);
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        symbols = this.symbolsOrAll (symbols);
        const stats = await this.fetchAllMarketStats (params);
        return this.parseFundingRates (stats, symbols);
    }

    /**
     * @method
     * @name openperp#fetchFundingInterval
     * @description fetch how often funding is paid in a market, with its funding rate
     * @see http://localhost:8080/docs#/Markets/getMarketStats
     * @param {string} symbol unified market symbol
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object} a [funding rate structure]{@link https://docs.ccxt.com/?id=funding-rate-structure}
     */
    async fetchFundingInterval (symbol: string, params: Dict = {}): Promise<FundingRate> {
        return await this.fetchFundingRate (symbol, params);
    }

    /**
     * @method
     * @name openperp#fetchFundingIntervals
     * @description fetch how often funding is paid in multiple markets, with their funding rates
     * @see http://localhost:8080/docs#/Market%20Data/listMarketStats
     * @param {string[]} [symbols] unified symbols of the markets, all markets are returned if not assigned
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object[]} a dictionary of [funding rate structures]{@link https://docs.ccxt.com/?id=funding-rates-structure}, indexed by market symbols
     */
    async fetchFundingIntervals (symbols: Strings = undefined, params: Dict = {}): Promise<FundingRates> {
        return await this.fetchFundingRates (symbols, params);
    }

    parseFundingRate (contract: any, market: Market = undefined): FundingRate {
        const marketId = this.safeString (contract, 'marketId');
        market = this.safeMarket (marketId, market);
        const rules = this.safeDict (market, 'info', {});
        const timestamp = this.safeInteger (contract, 'asOfEpochMs');
        const nextTimestamp = this.safeInteger (contract, 'nextFundingAtEpochMs');
        const previousTimestamp = this.safeInteger (contract, 'lastFundingAtEpochMs');
        return {
            'info': contract,
            'symbol': market['symbol'],
            'markPrice': this.safeNumber (contract, 'markPrice'),
            'indexPrice': this.safeNumber (contract, 'indexPrice'),
            'interestRate': this.safeNumber (rules, 'fundingInterestRate'),
            'estimatedSettlePrice': undefined,
            'timestamp': timestamp,
            'datetime': this.iso8601 (timestamp),
            'fundingRate': this.safeNumber (contract, 'estimatedFundingRate'),
            'fundingTimestamp': nextTimestamp,
            'fundingDatetime': this.iso8601 (nextTimestamp),
            'nextFundingRate': undefined,
            'nextFundingTimestamp': undefined,
            'nextFundingDatetime': undefined,
            'previousFundingRate': this.safeNumber (contract, 'lastFundingRate'),
            'previousFundingTimestamp': previousTimestamp,
            'previousFundingDatetime': this.iso8601 (previousTimestamp),
            'interval': this.parseFundingInterval (this.safeString (rules, 'fundingPeriodMs')),
        };
    }

    parseFundingInterval (milliseconds: Str): Str {
        if (milliseconds === undefined) {
            return undefined;
        }
        if (Precise.stringEquals (Precise.stringMod (milliseconds, '3600000'), '0')) {
            return Precise.stringDiv (milliseconds, '3600000') + 'h';
        }
        if (Precise.stringEquals (Precise.stringMod (milliseconds, '60000'), '0')) {
            return Precise.stringDiv (milliseconds, '60000') + 'm';
        }
        return Precise.stringDiv (milliseconds, '1000') + 's';
    }

    /**
     * @method
     * @name openperp#fetchFundingRateHistory
     * @description fetches the settled funding rates of a market
     * @see http://localhost:8080/docs#/Markets/listFundingRates
     * @param {string} symbol unified symbol of the market to fetch the funding rate history for
     * @param {int} [since] timestamp in ms of the earliest funding rate to fetch
     * @param {int} [limit] the maximum amount of funding rates to fetch, at most 500
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @param {int} [params.until] timestamp in ms of the latest funding rate to fetch
     * @param {boolean} [params.paginate] true to fetch page after page from since on, see the [available parameters](https://github.com/ccxt/ccxt/wiki/Manual#pagination-params)
     * @returns {object[]} a list of [funding rate history structures]{@link https://docs.ccxt.com/?id=funding-rate-history-structure}
     */
    async fetchFundingRateHistory (symbol: Str = undefined, since: Int = undefined, limit: Int = undefined, params: Dict = {}) {
        params = this.ownParams ('fetchFundingRateHistory', params);
        if (symbol === undefined) {
            throw new ArgumentsRequired (this.id + ' fetchFundingRateHistory() requires a symbol argument');
        }
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        let paginate = false;
        [ paginate, params ] = this.handleOptionAndParams (params, 'fetchFundingRateHistory', 'paginate', paginate);
        if (paginate) {
            return await this.fetchAllPages ('fetchFundingRateHistory', symbol, since, limit, params);
        }
        const market = this.market (symbol);
        const request = this.extend (this.createPageRequest (since, limit), {
            'marketId': market['id'],
        });
        const response = await this.publicGetV1MarketsMarketIdFunding (this.extend (request, params));
        //
        //     {
        //         "version": "external-funding-rate-list/v1",
        //         "marketId": "BTC-USD-PERP",
        //         "rates": [
        //             {
        //                 "marketId": "BTC-USD-PERP",
        //                 "period": 7,
        //                 "fundingRate": "0.0000125",
        //                 "indexPrice": "100000.5",
        //                 "settledAtEpochMs": 1763668800000,
        //                 "sequence": 1234
        //             }
        //         ],
        //         "nextCursor": "...",
        //         "freshness": { "status": "fresh", "asOfEpochMs": 1763670000123 }
        //     }
        //
        const rates = this.pageOf (response, 'rates', since);
        return this.parseFundingRateHistories (rates, market, since, limit);
    }

    parseFundingRateHistory (info: any, market: Market = undefined) {
        const marketId = this.safeString (info, 'marketId');
        market = this.safeMarket (marketId, market);
        const timestamp = this.safeInteger (info, 'settledAtEpochMs');
        return {
            'info': info,
            'symbol': market['symbol'],
            'fundingRate': this.safeNumber (info, 'fundingRate'),
            'timestamp': timestamp,
            'datetime': this.iso8601 (timestamp),
        };
    }

    /**
     * @method
     * @name openperp#fetchOrderBook
     * @description fetches information on open orders with bid (buy) and ask (sell) prices, volumes and other data
     * @see http://localhost:8080/docs#/Markets/getBook
     * @param {string} symbol unified symbol of the market to fetch the order book for
     * @param {int} [limit] the maximum amount of levels of each side, at most 500
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object} A dictionary of [order book structures]{@link https://docs.ccxt.com/?id=order-book-structure}
     */
    async fetchOrderBook (symbol: string, limit: Int = undefined, params: Dict = {}): Promise<OrderBook> {
        params = this.ownParams ('fetchOrderBook', params);
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        const market = this.market (symbol);
        const request: Dict = {
            'marketId': market['id'],
        };
        if (limit !== undefined) {
            request['depth'] = Math.min (limit, 500);
        }
        const response = await this.publicGetV1MarketsMarketIdBook (this.extend (request, params));
        //
        //     {
        //         "version": "external-order-book/v1",
        //         "marketId": "BTC-USD-PERP",
        //         "bids": [ [ "100000.1", "0.5" ] ],
        //         "asks": [ [ "100000.9", "0.4" ] ],
        //         "sequence": 1234,
        //         "asOfEpochMs": 1763670000123
        //     }
        //
        const timestamp = this.safeInteger (response, 'asOfEpochMs');
        const orderbook = this.parseOrderBook (response, market['symbol'], timestamp);
        orderbook['nonce'] = this.safeInteger (response, 'sequence');
        return orderbook;
    }

    /**
     * @method
     * @name openperp#fetchL3OrderBook
     * @description not supported, the book has price levels and not single orders
     * @param {string} symbol unified market symbol
     * @param {int} [limit] the maximum amount of orders
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object} an [order book structure]{@link https://docs.ccxt.com/?id=order-book-structure}
     */
    async fetchL3OrderBook (symbol: string, limit: Int = undefined, params: Dict = {}): Promise<OrderBook> {
        throw new NotSupported (this.id + ' fetchL3OrderBook() is not supported, the book has price levels and not single orders');
    }

    /**
     * @method
     * @name openperp#fetchOHLCV
     * @description fetches historical candlestick data containing the open, high, low, and close price, and the volume of a market
     * @see http://localhost:8080/docs#/Markets/getCandles
     * @param {string} symbol unified symbol of the market to fetch OHLCV data for
     * @param {string} timeframe the length of time each candle represents
     * @param {int} [since] timestamp in ms of the earliest candle to fetch
     * @param {int} [limit] the maximum amount of candles to fetch, at most 1000
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @param {int} [params.until] timestamp in ms of the latest candle to fetch
     * @param {string} [params.price] "mark" or "index" for candles of the mark or the index price, candles of trades if not assigned
     * @param {boolean} [params.paginate] true to fetch page after page, see the [available parameters](https://github.com/ccxt/ccxt/wiki/Manual#pagination-params)
     * @returns {int[][]} A list of candles ordered as timestamp, open, high, low, close, volume
     */
    async fetchOHLCV (symbol: string, timeframe: string = '1m', since: Int = undefined, limit: Int = undefined, params: Dict = {}): Promise<OHLCV[]> {
        params = this.ownParams ('fetchOHLCV', params);
        const series = this.candleSeries ('fetchOHLCV', params);
        const interval = this.safeString (this.timeframes, timeframe);
        if (interval === undefined) {
            throw new NotSupported (this.id + ' fetchOHLCV() does not support the timeframe ' + timeframe);
        }
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        // the venue has no until parameter: request enough candles before it, and cut the rest
        const until = this.safeInteger (params, 'until');
        let paginate = false;
        [ paginate, params ] = this.handleOptionAndParams (params, 'fetchOHLCV', 'paginate', paginate);
        if ((until !== undefined) && !paginate) {
            limit = (limit === undefined) ? 1000 : Math.min (limit, 1000);
        }
        if ((until !== undefined) && (since === undefined) && (limit !== undefined)) {
            since = Math.max (0, this.openTimeOf (until, timeframe) - (limit - 1) * this.parseTimeframe (timeframe) * 1000);
        }
        if (paginate) {
            return await this.fetchPaginatedCallDeterministic ('fetchOHLCV', symbol, since, limit, timeframe, params, 1000) as OHLCV[];
        }
        const market = this.market (symbol);
        const request: Dict = {
            'marketId': market['id'],
            'timeframe': interval,
        };
        if (series !== 'trade') {
            request['series'] = series;
        }
        if (since !== undefined) {
            request['since'] = since;
        }
        if (limit !== undefined) {
            request['limit'] = Math.min (limit, 1000);
        }
        params = this.omit (params, [ 'price', 'until' ]);
        const response = await this.publicGetV1MarketsMarketIdCandles (this.extend (request, params));
        //
        //     {
        //         "version": "external-candle-series/v1",
        //         "marketId": "BTC-USD-PERP",
        //         "timeframe": "1m",
        //         "series": "trade",
        //         "candles": [
        //             {
        //                 "openTimeEpochMs": 1763670000000,
        //                 "open": "100000",
        //                 "high": "100010.5",
        //                 "low": "99990",
        //                 "close": "100001.5",
        //                 "volume": "1.25",
        //                 "quoteVolume": "125001.75"
        //             }
        //         ],
        //         "sequence": 1234,
        //         "asOfEpochMs": 1763670000123
        //     }
        //
        const candles = this.safeList (response, 'candles', []);
        const result = [];
        for (let i = 0; i < candles.length; i++) {
            if ((until === undefined) || (this.safeInteger (candles[i], 'openTimeEpochMs') <= until)) {
                result.push (candles[i]);
            }
        }
        return this.parseOHLCVs (result, market, timeframe, since, limit);
    }

    candleSeries (methodName: string, params: Dict = {}): string {
        // the venue's name of params.price
        const price = this.lowerTextOf (params, 'price');
        const series: Dict = {
            'trade': 'trade',
            'last': 'trade',
            'futures': 'trade', // of the swap, not of a spot market
            'mark': 'mark',
            'index': 'index',
        };
        const name = (price === undefined) ? 'trade' : this.safeString (series, price);
        if (name === undefined) {
            throw new NotSupported (this.id + ' ' + methodName + '() has no candles with params.price ' + price + ': send mark or index, or omit it for candles of trades');
        }
        return name;
    }

    openTimeOf (timestamp: int, timeframe: string): int {
        // of the candle that contains a time; weeks begin on Monday, and the epoch was a Thursday
        const duration = this.parseTimeframe (timeframe) * 1000;
        const offset = (timeframe === '1w') ? 345600000 : 0;
        if (timestamp < offset) {
            return 0;
        }
        return timestamp - ((timestamp - offset) % duration);
    }

    parseOHLCV (ohlcv: any, market: Market = undefined): OHLCV {
        return [
            this.safeInteger (ohlcv, 'openTimeEpochMs'),
            this.safeNumber (ohlcv, 'open'),
            this.safeNumber (ohlcv, 'high'),
            this.safeNumber (ohlcv, 'low'),
            this.safeNumber (ohlcv, 'close'),
            this.safeNumber (ohlcv, 'volume'),
        ];
    }

    /**
     * @method
     * @name openperp#fetchTrades
     * @description get the list of most recent trades for a particular symbol
     * @see http://localhost:8080/docs#/Markets/listTrades
     * @param {string} symbol unified symbol of the market to fetch trades for
     * @param {int} [since] timestamp in ms of the earliest trade to fetch
     * @param {int} [limit] the maximum amount of trades to fetch, at most 500
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @param {boolean} [params.paginate] true to fetch page after page from since on, see the [available parameters](https://github.com/ccxt/ccxt/wiki/Manual#pagination-params)
     * @returns {Trade[]} a list of [trade structures]{@link https://docs.ccxt.com/?id=public-trades}
     */
    async fetchTrades (symbol: string, since: Int = undefined, limit: Int = undefined, params: Dict = {}): Promise<Trade[]> {
        params = this.ownParams ('fetchTrades', params);
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        let paginate = false;
        [ paginate, params ] = this.handleOptionAndParams (params, 'fetchTrades', 'paginate', paginate);
        if (paginate) {
            return await this.fetchAllPages ('fetchTrades', symbol, since, limit, params) as Trade[];
        }
        const market = this.market (symbol);
        const request = this.extend (this.createPageRequest (since, limit), {
            'marketId': market['id'],
        });
        const response = await this.publicGetV1MarketsMarketIdTrades (this.extend (request, params));
        //
        //     {
        //         "version": "external-trade-list/v1",
        //         "marketId": "BTC-USD-PERP",
        //         "trades": [
        //             {
        //                 "tradeId": "42",
        //                 "marketId": "BTC-USD-PERP",
        //                 "side": "buy",
        //                 "price": "100000.5",
        //                 "quantity": "0.012",
        //                 "notional": "1200.006",
        //                 "executedAtEpochMs": 1763670000000,
        //                 "sequence": 1234
        //             }
        //         ],
        //         "nextCursor": "...",
        //         "sequence": 1234,
        //         "asOfEpochMs": 1763670000123
        //     }
        //
        const trades = this.pageOf (response, 'trades', since);
        return this.parseTrades (trades, market, since, limit);
    }

    createPageRequest (since: Int = undefined, limit: Int = undefined): Dict {
        const request: Dict = {};
        if (since !== undefined) {
            request['since'] = since;
        }
        request['limit'] = (limit === undefined) ? 500 : Math.min (limit, 500);
        return request;
    }

    async fetchList (method: string, key: string, request: Dict, isOnePage: boolean): Promise<Dict> {
        // one page of a list, or the complete list
        let query = request;
        let rows = [];
        let response: Dict = {};
        let isLast = false;
        while (!isLast) {
            response = await this[method] (query);
            rows = this.arrayConcat (rows, this.safeList (response, key, []));
            const cursor = this.safeString (response, 'nextCursor');
            isLast = isOnePage || (cursor === undefined);
            query = this.extend (query, { 'cursor': cursor });
        }
        response[key] = rows;
        return response;
    }

    isOnePage (limit: Int = undefined, params: Dict = {}): boolean {
        // without a limit, a list that must be complete is read to its end
        return (limit !== undefined) || ('cursor' in params);
    }

    pageOf (response: Dict, key: string, since: Int = undefined): any[] {
        const page = this.safeList (response, key, []);
        const length = page.length;
        const cursor = this.safeString (response, 'nextCursor');
        if ((cursor !== undefined) && (length > 0)) {
            page[length - 1]['nextCursor'] = cursor; // see params.cursor and fetchPaginatedCallCursor
        }
        // oldest first, also within one millisecond: without since the venue returns the newest first
        const result = [];
        for (let i = 0; i < length; i++) {
            let index = i;
            if (since === undefined) {
                index = length - i - 1;
            }
            result.push (page[index]);
        }
        return result;
    }

    async fetchAllPages (method: string, symbol: any, since: Int = undefined, limit: Int = undefined, params: Dict = {}): Promise<any> {
        if (since === undefined) {
            // without since the venue returns the newest first, and trades of one millisecond would be out of order
            throw new ArgumentsRequired (this.id + ' ' + method + '() requires a since argument with params.paginate');
        }
        return await this.fetchPaginatedCallCursor (method, symbol, since, limit, params, 'nextCursor', 'cursor', undefined, 500);
    }

    sortCursorPaginatedResult (result: any[]): any[] {
        // oldest first, like an unpaged list
        return this.sortBy (result, 'timestamp');
    }

    parseTrades (trades: any[], market: Market = undefined, since: Int = undefined, limit: Int = undefined, params: Dict = {}): Trade[] {
        // trades of one millisecond keep the order of the venue: the base class would sort their ids as text
        const result = [];
        for (let i = 0; i < trades.length; i++) {
            const trade = this.parseTrade (trades[i], market); // don't inline this call
            result.push (this.extend (trade, params));
        }
        const symbol = this.safeString (market, 'symbol');
        return this.filterBySymbolSinceLimit (this.sortBy (result, 'timestamp'), symbol, since, limit) as Trade[];
    }

    parseTrade (trade: Dict, market: Market = undefined): Trade {
        //
        // fetchTrades
        //
        //     {
        //         "tradeId": "42",
        //         "marketId": "BTC-USD-PERP",
        //         "side": "buy", // of the taker
        //         "origin": "liquidation", // liquidation, auto_deleveraging, absent if a client was the taker
        //         "price": "100000.5",
        //         "quantity": "0.012",
        //         "notional": "1200.006",
        //         "executedAtEpochMs": 1763670000000,
        //         "sequence": 1234
        //     }
        //
        // fetchMyTrades, fetchOrderTrades
        //
        //     {
        //         "tradeId": "42",
        //         "orderId": "7",
        //         "clientOrderId": "my-order",
        //         "positionId": "3",
        //         "accountId": "acct-1",
        //         "marketId": "BTC-USD-PERP",
        //         "side": "buy",
        //         "orderType": "limit",
        //         "liquidity": "maker",
        //         "price": "100000.5",
        //         "quantity": "0.012",
        //         "notional": "1200.006",
        //         "fee": "0.120001",
        //         "feeAsset": "USD.E",
        //         "realizedPnl": "0",
        //         "executedAtEpochMs": 1763670000000,
        //         "sequence": 1234
        //     }
        //
        const marketId = this.safeString (trade, 'marketId');
        market = this.safeMarket (marketId, market);
        const timestamp = this.safeInteger (trade, 'executedAtEpochMs');
        const feeCost = this.safeString (trade, 'fee');
        let fee = undefined;
        if (feeCost !== undefined) {
            fee = {
                'cost': feeCost,
                'currency': this.safeCurrencyCode (this.safeString (trade, 'feeAsset')),
            };
        }
        return this.safeTrade ({
            'id': this.safeString (trade, 'tradeId'),
            'order': this.safeString (trade, 'orderId'),
            'timestamp': timestamp,
            'datetime': this.iso8601 (timestamp),
            'symbol': market['symbol'],
            'type': this.safeString (trade, 'orderType'),
            'side': this.safeString (trade, 'side'),
            'takerOrMaker': this.safeString (trade, 'liquidity'),
            'price': this.safeString (trade, 'price'),
            'amount': this.safeString (trade, 'quantity'),
            'cost': this.safeString (trade, 'notional'),
            'fee': fee,
            'info': trade,
        }, market);
    }

    /**
     * @method
     * @name openperp#fetchTradingFees
     * @description fetch the trading fees for multiple markets
     * @see http://localhost:8080/docs#/Markets/listMarkets
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object} a dictionary of [fee structures]{@link https://docs.ccxt.com/?id=fee-structure} indexed by market symbols
     */
    async fetchTradingFees (params: Dict = {}): Promise<TradingFees> {
        params = this.ownParams ('fetchTradingFees', params);
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        const response = await this.publicGetV1Markets (params);
        const markets = this.safeList (response, 'markets', []);
        const result: Dict = {};
        for (let i = 0; i < markets.length; i++) {
            const fee = this.parseTradingFee (markets[i]);
            const symbol = this.safeString (fee, 'symbol');
            result[symbol] = fee;
        }
        return result;
    }

    /**
     * @method
     * @name openperp#fetchTradingFee
     * @description fetch the trading fees for a market
     * @see http://localhost:8080/docs#/Markets/getMarket
     * @param {string} symbol unified market symbol
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object} a [fee structure]{@link https://docs.ccxt.com/?id=fee-structure}
     */
    async fetchTradingFee (symbol: string, params: Dict = {}): Promise<TradingFeeInterface> {
        params = this.ownParams ('fetchTradingFee', params);
        const entry = await this.fetchMarketEntry (symbol, params);
        const market = this.market (symbol);
        return this.parseTradingFee (entry, market);
    }

    async fetchMarketEntry (symbol: string, params: Dict = {}): Promise<Dict> {
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        const market = this.market (symbol);
        const request: Dict = {
            'marketId': market['id'],
        };
        const response = await this.publicGetV1MarketsMarketId (this.extend (request, params));
        //
        //     {
        //         "version": "external-market/v1",
        //         "market": {}, // an entry of fetchMarkets
        //         "snapshotSequence": 1234,
        //         "readModelDigest": "sha256:..."
        //     }
        //
        return this.safeDict (response, 'market', {});
    }

    parseTradingFee (fee: Dict, market: Market = undefined): TradingFeeInterface {
        const marketId = this.safeString (fee, 'marketId');
        market = this.safeMarket (marketId, market);
        return {
            'info': fee,
            'symbol': market['symbol'],
            'maker': this.parseNumber (this.parseBps (this.safeString (fee, 'makerFeeBps'))),
            'taker': this.parseNumber (this.parseBps (this.safeString (fee, 'takerFeeBps'))),
            'percentage': true,
            'tierBased': false,
        };
    }

    /**
     * @method
     * @name openperp#fetchLeverageTiers
     * @description retrieve information on the maximum leverage, and maintenance margin for trades of varying trade sizes
     * @see http://localhost:8080/docs#/Markets/listMarkets
     * @param {string[]} [symbols] list of unified market symbols
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object} a dictionary of [leverage tiers structures]{@link https://docs.ccxt.com/?id=leverage-tiers-structure}, indexed by market symbols
     */
    async fetchLeverageTiers (symbols: Strings = undefined, params: Dict = {}): Promise<LeverageTiers> {
        params = this.ownParams ('fetchLeverageTiers', params);
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        symbols = this.symbolsOrAll (symbols);
        const response = await this.publicGetV1Markets (params);
        const markets = this.safeList (response, 'markets', []);
        return this.parseLeverageTiers (markets, symbols, 'marketId');
    }

    /**
     * @method
     * @name openperp#fetchMarketLeverageTiers
     * @description retrieve information on the maximum leverage, and maintenance margin for trades of varying trade sizes for a single market
     * @see http://localhost:8080/docs#/Markets/getMarket
     * @param {string} symbol unified market symbol
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object} a [leverage tiers structure]{@link https://docs.ccxt.com/?id=leverage-tiers-structure}
     */
    async fetchMarketLeverageTiers (symbol: string, params: Dict = {}): Promise<LeverageTier[]> {
        params = this.ownParams ('fetchMarketLeverageTiers', params);
        const entry = await this.fetchMarketEntry (symbol, params);
        const market = this.market (symbol);
        return this.parseMarketLeverageTiers (entry, market);
    }

    parseMarketLeverageTiers (info: any, market: Market = undefined): LeverageTier[] {
        const marketId = this.safeString (info, 'marketId');
        market = this.safeMarket (marketId, market);
        const decimals = this.safeString (info, 'settlementAssetDecimals');
        const atom = this.parsePrecision (decimals);
        const largestPosition = this.safeString (info, 'maxPositionNotional');
        const entries = this.safeList (info, 'maintenanceMarginTiers', []);
        const length = entries.length;
        const tiers = [];
        for (let i = 0; i < length; i++) {
            const entry = entries[i];
            const rate = this.parseBps (this.safeString (entry, 'maintenanceMarginBps'));
            let maxNotional = largestPosition;
            if (i + 1 < length) {
                maxNotional = Precise.stringMul (this.safeString (entries[i + 1], 'notionalThresholdAtoms'), atom);
            }
            tiers.push ({
                'tier': this.sum (i, 1),
                'symbol': market['symbol'],
                'currency': market['settle'],
                'minNotional': this.parseNumber (Precise.stringMul (this.safeString (entry, 'notionalThresholdAtoms'), atom)),
                'maxNotional': this.parseNumber (maxNotional),
                'maintenanceMarginRate': this.parseNumber (rate),
                'maxLeverage': this.safeNumber (entry, 'maxLeverageX'),
                'info': entry,
            });
        }
        return tiers;
    }

    /**
     * @method
     * @name openperp#fetchAccounts
     * @description fetch the account that the API key belongs to
     * @see http://localhost:8080/docs#/Auth/getCurrentApiKey
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object} a list with one [account structure]{@link https://docs.ccxt.com/?id=account-structure}
     */
    async fetchAccounts (params: Dict = {}): Promise<Account[]> {
        params = this.ownParams ('fetchAccounts', params);
        const response = await this.privateGetV1ApiKeysCurrent (params);
        //
        //     {
        //         "version": "external-api-key/v1",
        //         "keyId": "...",
        //         "accountId": "acct-1",
        //         "scopes": [ "read", "trade" ],
        //         "label": "demo",
        //         "status": "active",
        //         "createdAtEpochMs": 1763670000000
        //     }
        //
        return [ this.parseAccount (response) ];
    }

    parseAccount (account: Dict): Account {
        return {
            'id': this.safeString (account, 'accountId'),
            'type': 'swap',
            'code': undefined,
            'info': account,
        };
    }

    async loadAccountId (): Promise<string> {
        // an API key belongs to one account, which the venue returns
        if ((this.accountId === undefined) || (this.accountId === '')) {
            const response = await this.privateGetV1ApiKeysCurrent ();
            this.accountId = this.safeString (response, 'accountId');
        }
        return this.accountId;
    }

    /**
     * @method
     * @name openperp#fetchBalance
     * @description query for the cash of the account, the margin of its positions and what is available for orders
     * @see http://localhost:8080/docs#/Accounts/getAccount
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object} a [balance structure]{@link https://docs.ccxt.com/?id=balance-structure}
     */
    async fetchBalance (params: Dict = {}): Promise<Balances> {
        params = this.ownParams ('fetchBalance', params);
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        const accountId = await this.loadAccountId ();
        const request: Dict = {
            'accountId': accountId,
        };
        const response = await this.privateGetV1AccountsAccountId (this.extend (request, params));
        //
        //     {
        //         "version": "external-account-snapshot/v1",
        //         "accountId": "acct-1",
        //         "asset": "USD.E",
        //         "snapshotSequence": 1234,
        //         "readModelDigest": "sha256:...",
        //         "marginMode": "isolated",
        //         "cashBalanceAtoms": "9000000000",
        //         "cashBalance": "9000",
        //         "equityAtoms": "10012500000",
        //         "equity": "10012.5",
        //         "availableForOrdersAtoms": "8500000000",
        //         "availableForOrders": "8500",
        //         "resync": { "stream": "account.margin", "fromSequence": 1235 },
        //         "consentState": "absent",
        //         "riskEvidence": { "status": "complete" },
        //         "positions": [],
        //         "reservedForOrdersAtoms": "500000000",
        //         "reservedForOrders": "500",
        //         "positionMarginAtoms": "1000000000",
        //         "positionMargin": "1000",
        //         "freshness": { "status": "fresh", "asOfEpochMs": 1763670000123 }
        //     }
        //
        return this.parseBalance (response);
    }

    parseBalance (response: any): Balances {
        const freshness = this.safeDict (response, 'freshness', {});
        const timestamp = this.safeInteger (freshness, 'asOfEpochMs');
        const result: Dict = {
            'info': response,
            'timestamp': timestamp,
            'datetime': this.iso8601 (timestamp),
        };
        const code = this.safeCurrencyCode (this.safeString (response, 'asset'));
        const account = this.account ();
        account['total'] = Precise.stringAdd (this.safeString (response, 'cashBalance'), this.safeString (response, 'positionMargin'));
        account['free'] = this.safeString (response, 'availableForOrders');
        result[code] = account;
        return this.safeBalance (result);
    }

    /**
     * @method
     * @name openperp#fetchPositions
     * @description fetch all open positions
     * @see http://localhost:8080/docs#/Accounts/listPositions
     * @param {string[]} [symbols] list of unified market symbols
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object[]} a list of [position structures]{@link https://docs.ccxt.com/?id=position-structure}
     */
    async fetchPositions (symbols: Strings = undefined, params: Dict = {}): Promise<Position[]> {
        params = this.ownParams ('fetchPositions', params);
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        symbols = this.symbolsOrAll (symbols);
        const request = await this.createPositionsRequest (symbols);
        const response = await this.privateGetV1AccountsAccountIdPositions (this.extend (request, params));
        //
        //     {
        //         "version": "external-position-snapshot/v1",
        //         "accountId": "acct-1",
        //         "snapshotSequence": 1234,
        //         "readModelDigest": "sha256:...",
        //         "positions": [
        //             {
        //                 "positionId": "3",
        //                 "accountId": "acct-1",
        //                 "marketId": "BTC-USD-PERP",
        //                 "side": "long",
        //                 "status": "open",
        //                 "openedAtEpochMs": 1763670000000,
        //                 "maxQuantity": "0.1",
        //                 "currentQuantity": "0.1",
        //                 "avgEntryPrice": "100000.5",
        //                 "realizedPnl": "0",
        //                 "feesPaid": "5.000025",
        //                 "fundingPaid": "0",
        //                 "lastSequence": 1234,
        //                 "marginStatus": "healthy", // healthy, at_risk, liquidating
        //                 "adlIndicator": 3, // 5 is deleveraged first
        //                 "marginMode": "isolated",
        //                 "margin": "200.001",
        //                 "entryNotional": "10000.05",
        //                 "markPrice": "100001.2",
        //                 "unrealizedPnl": "0.07",
        //                 "liquidationPrice": "99000.5",
        //                 "maintenanceRequirement": "100.0012",
        //                 "updatedAtEpochMs": 1763670000000
        //             }
        //         ],
        //         "resync": { "stream": "account.positions", "fromSequence": 1235 },
        //         "freshness": { "status": "fresh", "asOfEpochMs": 1763670000123 }
        //     }
        //
        const positions = this.safeList (response, 'positions', []);
        return this.parsePositions (positions, symbols);
    }

    async createPositionsRequest (symbols: Strings = undefined): Promise<Dict> {
        const accountId = await this.loadAccountId ();
        const request: Dict = {
            'accountId': accountId,
        };
        if (symbols !== undefined) {
            const length = symbols.length;
            if (length === 1) {
                request['marketId'] = this.marketId (symbols[0]);
            }
        }
        return request;
    }

    /**
     * @method
     * @name openperp#fetchPositionsForSymbol
     * @description fetch the open position in a market, if there is one
     * @see http://localhost:8080/docs#/Accounts/listPositions
     * @param {string} symbol unified market symbol
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object[]} a list of [position structures]{@link https://docs.ccxt.com/?id=position-structure}
     */
    async fetchPositionsForSymbol (symbol: string, params: Dict = {}): Promise<Position[]> {
        return await this.fetchPositions ([ symbol ], params);
    }

    /**
     * @method
     * @name openperp#fetchPosition
     * @description fetch the open position in a market
     * @see http://localhost:8080/docs#/Accounts/listPositions
     * @param {string} symbol unified market symbol
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object} a [position structure]{@link https://docs.ccxt.com/?id=position-structure}, with 0 contracts and no side if there is no open position
     */
    async fetchPosition (symbol: string, params: Dict = {}): Promise<Position> {
        const positions = await this.fetchPositions ([ symbol ], params);
        const market = this.market (symbol);
        const flat = this.parsePosition ({
            'marketId': market['id'],
            'marginMode': 'isolated',
            'currentQuantity': '0',
        }, market);
        return this.safeDict (positions, 0, flat) as Position;
    }

    /**
     * @method
     * @name openperp#fetchPositionsHistory
     * @description fetch closed positions, by the time of their close
     * @see http://localhost:8080/docs#/Accounts/listPositionHistory
     * @param {string[]} [symbols] list of unified market symbols, with a request for each; all markets if not assigned
     * @param {int} [since] timestamp in ms of the earliest close
     * @param {int} [limit] the maximum amount of positions to fetch, at most 500
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @param {int} [params.until] timestamp in ms of the latest close
     * @param {boolean} [params.paginate] true to fetch page after page from since on, see the [available parameters](https://github.com/ccxt/ccxt/wiki/Manual#pagination-params)
     * @returns {object[]} a list of [position structures]{@link https://docs.ccxt.com/?id=position-structure}, contracts is the largest size that the position had
     */
    async fetchPositionsHistory (symbols: Strings = undefined, since: Int = undefined, limit: Int = undefined, params: Dict = {}): Promise<Position[]> {
        params = this.ownParams ('fetchPositionsHistory', params);
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        symbols = this.symbolsOrAll (symbols);
        const distinct = (symbols === undefined) ? [] : this.unique (symbols);
        const length = distinct.length;
        if (length > 1) {
            if ('cursor' in params) {
                throw new BadRequest (this.id + ' fetchPositionsHistory() takes a cursor for one symbol only');
            }
            // each market has pages of its own: a page of all markets may lack these and still not be the last
            let histories = [];
            for (let i = 0; i < length; i++) {
                const history = await this.fetchPositionsHistory ([ distinct[i] ], since, limit, params);
                histories = this.arrayConcat (histories, history);
            }
            return this.filterBySinceLimit (this.sortBy (histories, 'timestamp'), since, limit) as Position[];
        }
        let paginate = false;
        [ paginate, params ] = this.handleOptionAndParams (params, 'fetchPositionsHistory', 'paginate', paginate);
        if (paginate) {
            return await this.fetchAllPages ('fetchPositionsHistory', symbols, since, limit, params) as Position[];
        }
        const ofPositions = await this.createPositionsRequest (symbols);
        const request = this.extend (this.createPageRequest (since, limit), ofPositions);
        const response = await this.privateGetV1AccountsAccountIdPositionsHistory (this.extend (request, params));
        //
        //     {
        //         "version": "external-position-history/v1",
        //         "accountId": "acct-1",
        //         "positions": [
        //             {
        //                 "positionId": "3",
        //                 "accountId": "acct-1",
        //                 "marketId": "BTC-USD-PERP",
        //                 "side": "long",
        //                 "status": "closed",
        //                 "openedAtEpochMs": 1763670000000,
        //                 "closedAtEpochMs": 1763670100000,
        //                 "maxQuantity": "0.1",
        //                 "currentQuantity": "0",
        //                 "avgEntryPrice": "100000.5",
        //                 "avgExitPrice": "100001.5",
        //                 "realizedPnl": "0.1",
        //                 "feesPaid": "10.0001",
        //                 "fundingPaid": "0",
        //                 "closeReason": "user_close", // user_close, liquidation, auto_deleveraging
        //                 "lastSequence": 1234,
        //                 "marginMode": "isolated",
        //                 "margin": "0",
        //                 "entryNotional": "0",
        //                 "updatedAtEpochMs": 1763670100000
        //             }
        //         ],
        //         "nextCursor": "...",
        //         "freshness": { "status": "fresh", "asOfEpochMs": 1763670000123 }
        //     }
        //
        const rows = this.pageOf (response, 'positions', since);
        const positions = this.parsePositions (rows, symbols);
        for (let i = 0; i < positions.length; i++) {
            positions[i]['contracts'] = this.safeNumber (positions[i]['info'], 'maxQuantity'); // the current quantity is 0
        }
        return this.filterBySinceLimit (this.sortBy (positions, 'timestamp'), since, limit) as Position[];
    }

    /**
     * @method
     * @name openperp#fetchPositionHistory
     * @description fetch closed positions of a market, by the time of their close
     * @see http://localhost:8080/docs#/Accounts/listPositionHistory
     * @param {string} symbol unified market symbol
     * @param {int} [since] timestamp in ms of the earliest close
     * @param {int} [limit] the maximum amount of positions to fetch, at most 500
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object[]} a list of [position structures]{@link https://docs.ccxt.com/?id=position-structure}
     */
    async fetchPositionHistory (symbol: string, since: Int = undefined, limit: Int = undefined, params: Dict = {}): Promise<Position[]> {
        return await this.fetchPositionsHistory ([ symbol ], since, limit, params);
    }

    /**
     * @method
     * @name openperp#fetchPositionsADLRank
     * @description fetches the auto-deleveraging ranks of the open positions
     * @see http://localhost:8080/docs#/Accounts/listPositions
     * @param {string[]} [symbols] list of unified market symbols
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object[]} an array of [auto de leverage structures]{@link https://docs.ccxt.com/?id=auto-de-leverage-structure}, 5 is deleveraged first
     */
    async fetchPositionsADLRank (symbols: Strings = undefined, params: Dict = {}) {
        params = this.ownParams ('fetchPositionsADLRank', params);
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        symbols = this.symbolsOrAll (symbols);
        const request = await this.createPositionsRequest (symbols);
        const response = await this.privateGetV1AccountsAccountIdPositions (this.extend (request, params));
        const positions = this.safeList (response, 'positions', []);
        return this.parseADLRanks (positions, symbols);
    }

    parseADLRank (info: Dict, market: Market = undefined) {
        const marketId = this.safeString (info, 'marketId');
        market = this.safeMarket (marketId, market);
        const timestamp = this.safeInteger (info, 'updatedAtEpochMs');
        return {
            'info': info,
            'symbol': market['symbol'],
            'rank': this.safeInteger (info, 'adlIndicator'),
            'rating': undefined,
            'percentage': undefined,
            'timestamp': timestamp,
            'datetime': this.iso8601 (timestamp),
        };
    }

    /**
     * @method
     * @name openperp#fetchMarginMode
     * @description fetches the margin mode of the account, which is the same in all markets
     * @see http://localhost:8080/docs#/Accounts/getAccount
     * @param {string} symbol unified market symbol
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object} a [margin mode structure]{@link https://docs.ccxt.com/?id=margin-mode-structure}
     */
    async fetchMarginMode (symbol: string, params: Dict = {}): Promise<MarginMode> {
        params = this.ownParams ('fetchMarginMode', params);
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        const market = this.market (symbol);
        const accountId = await this.loadAccountId ();
        const request: Dict = {
            'accountId': accountId,
        };
        const response = await this.privateGetV1AccountsAccountId (this.extend (request, params));
        return this.parseMarginMode (response, market);
    }

    parseMarginMode (marginMode: Dict, market: Market = undefined): MarginMode {
        return {
            'info': marginMode,
            'symbol': this.safeString (market, 'symbol'),
            'marginMode': this.safeString (marginMode, 'marginMode'),
        };
    }

    /**
     * @method
     * @name openperp#setMarginMode
     * @description accepts isolated margin, the only mode, without a request
     * @param {string} marginMode 'isolated'
     * @param {string} [symbol] unified market symbol
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @param {float} [params.leverage] also sets the leverage of the account in the market, by a request; params.lever is another name of it
     * @returns {object} a [margin mode structure]{@link https://docs.ccxt.com/?id=margin-mode-structure}
     */
    async setMarginMode (marginMode: string, symbol: Str = undefined, params: Dict = {}) {
        params = this.ownParams ('setMarginMode', params);
        const mode = this.safeStringLower ({ 'marginMode': marginMode }, 'marginMode');
        if (mode === undefined) {
            throw new ArgumentsRequired (this.id + ' setMarginMode() requires a marginMode argument: send isolated');
        }
        if (mode !== 'isolated') {
            throw new NotSupported (this.id + ' setMarginMode() supports isolated margin only');
        }
        if (symbol !== undefined) {
            if (this.markets === undefined) {
                await this.loadMarkets ();
            }
            const market = this.market (symbol);
            symbol = market['symbol'];
        }
        this.checkAliases (params, [ 'leverage', 'lever' ]); // of venues that set both at once
        const leverage = this.safeValue2 (params, 'leverage', 'lever');
        if (leverage !== undefined) {
            await this.setLeverage (leverage, symbol);
        }
        return {
            'info': {},
            'symbol': symbol,
            'marginMode': 'isolated',
        };
    }

    /**
     * @method
     * @name openperp#setPositionMode
     * @description accepts one-way positions, the only mode, without a request
     * @param {bool} hedged false
     * @param {string} [symbol] unified market symbol
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object} the position mode, see fetchPositionMode
     */
    async setPositionMode (hedged: boolean, symbol: Str = undefined, params: Dict = {}) {
        if ((typeof hedged !== 'boolean') || hedged) {
            throw new NotSupported (this.id + ' setPositionMode() supports one-way positions only: send false');
        }
        return await this.fetchPositionMode (symbol, params);
    }

    /**
     * @method
     * @name openperp#fetchPositionMode
     * @description returns that positions are one-way, without a request: an account has at most one position in a market
     * @param {string} [symbol] unified market symbol
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object} an object detailing whether the market is in hedged or one-way mode
     */
    async fetchPositionMode (symbol: Str = undefined, params: Dict = {}) {
        params = this.ownParams ('fetchPositionMode', params);
        if (symbol !== undefined) {
            if (this.markets === undefined) {
                await this.loadMarkets ();
            }
            const market = this.market (symbol);
            symbol = market['symbol'];
        }
        return {
            'info': {},
            'symbol': symbol,
            'hedged': false,
        };
    }

    /**
     * @method
     * @name openperp#setLeverage
     * @description sets the leverage of future orders of the account in a market, open orders and positions keep theirs
     * @see http://localhost:8080/docs#/Accounts/setLeverage
     * @param {float} leverage from 1 to the highest of the market
     * @param {string} symbol unified market symbol
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object} a [leverage structure]{@link https://docs.ccxt.com/?id=leverage-structure}
     */
    async setLeverage (leverage: int, symbol: Str = undefined, params: Dict = {}) {
        params = this.ownParams ('setLeverage', params);
        if (symbol === undefined) {
            throw new ArgumentsRequired (this.id + ' setLeverage() requires a symbol argument');
        }
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        const market = this.market (symbol);
        const highest = market['limits']['leverage']['max'];
        const multiple = this.parseOrderLeverage (leverage);
        if (multiple > highest) {
            throw new BadRequest (this.id + ' setLeverage() requires a number from 1 to ' + this.numberToString (highest) + ' for ' + market['symbol']);
        }
        const accountId = await this.loadAccountId ();
        const request: Dict = {
            'accountId': accountId,
            'marketId': market['id'],
            'leverageX': multiple,
        };
        const response = await this.privatePutV1AccountsAccountIdLeverageMarketId (this.extend (request, params));
        //
        //     {
        //         "version": "market-leverage/v1",
        //         "accountId": "acct-1",
        //         "marketId": "BTC-USD-PERP",
        //         "leverageX": 5,
        //         "isDefault": false,
        //         "maxLeverageX": 50
        //     }
        //
        return this.parseLeverage (response, market);
    }

    /**
     * @method
     * @name openperp#fetchLeverage
     * @description fetches the leverage of the account in a market, which applies to orders without params.leverage
     * @see http://localhost:8080/docs#/Accounts/getLeverages
     * @param {string} symbol unified market symbol
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object} a [leverage structure]{@link https://docs.ccxt.com/?id=leverage-structure}
     */
    async fetchLeverage (symbol: string, params: Dict = {}): Promise<Leverage> {
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        const market = this.market (symbol);
        const leverages = await this.fetchLeverages ([ symbol ], params);
        return leverages[market['symbol']];
    }

    /**
     * @method
     * @name openperp#fetchLeverages
     * @description fetches the leverage of the account in multiple markets, in one request
     * @see http://localhost:8080/docs#/Accounts/getLeverages
     * @param {string[]} [symbols] unified symbols of the markets, all markets are returned if not assigned
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object} a dictionary of [leverage structures]{@link https://docs.ccxt.com/?id=leverage-structure}, by symbol
     */
    async fetchLeverages (symbols: Strings = undefined, params: Dict = {}): Promise<Leverages> {
        params = this.ownParams ('fetchLeverages', params);
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        symbols = this.symbolsOrAll (symbols);
        const accountId = await this.loadAccountId ();
        const request: Dict = {
            'accountId': accountId,
        };
        const response = await this.privateGetV1AccountsAccountIdLeverage (this.extend (request, params));
        //
        //     {
        //         "version": "leverage-list/v1",
        //         "accountId": "acct-1",
        //         "leverages": [
        //             { "marketId": "BTC-USD-PERP", "leverageX": 10, "isDefault": true, "maxLeverageX": 50 }
        //         ]
        //     }
        //
        return this.parseLeverages (this.safeList (response, 'leverages', []), symbols, 'marketId');
    }

    parseLeverage (leverage: Dict, market: Market = undefined): Leverage {
        const multiple = this.safeNumber (leverage, 'leverageX');
        return {
            'info': leverage,
            'symbol': market['symbol'],
            'marginMode': 'isolated',
            'longLeverage': multiple,
            'shortLeverage': multiple,
        };
    }

    /**
     * @method
     * @name openperp#addMargin
     * @description adds cash of the account to the margin of the position in a market
     * @see http://localhost:8080/docs#/Accounts/adjustPositionMargin
     * @param {string} symbol unified market symbol
     * @param {float} amount the amount of margin to add, in units of the settlement currency
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @param {string} [params.idempotencyKey] the key that makes a repeated request safe, generated for each call if not assigned
     * @returns {object} a [margin structure]{@link https://docs.ccxt.com/?id=margin-structure}
     */
    async addMargin (symbol: string, amount: number, params: Dict = {}): Promise<MarginModification> {
        return await this.adjustMargin ('addMargin', symbol, amount, 'add', params);
    }

    /**
     * @method
     * @name openperp#reduceMargin
     * @description moves margin of the position in a market back to the cash of the account, down to its initial margin at the mark price
     * @see http://localhost:8080/docs#/Accounts/adjustPositionMargin
     * @param {string} symbol unified market symbol
     * @param {float} amount the amount of margin to remove, in units of the settlement currency
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @param {string} [params.idempotencyKey] the key that makes a repeated request safe, generated for each call if not assigned
     * @returns {object} a [margin structure]{@link https://docs.ccxt.com/?id=margin-structure}
     */
    async reduceMargin (symbol: string, amount: number, params: Dict = {}): Promise<MarginModification> {
        return await this.adjustMargin ('reduceMargin', symbol, amount, 'remove', params);
    }

    async adjustMargin (methodName: string, symbol: string, amount: number, direction: string, params: Dict = {}): Promise<MarginModification> {
        params = this.ownParams (methodName, params);
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        const market = this.market (symbol);
        const accountId = await this.loadAccountId ();
        if (amount === undefined) {
            throw new ArgumentsRequired (this.id + ' ' + methodName + '() requires an amount argument');
        }
        let text = undefined;
        try {
            text = this.checkAboveZero ('amount of margin', this.costToPrecision (symbol, this.parsePlainDecimal ('amount of margin', amount)));
        } catch (e) {
            throw new BadRequest (this.id + ' ' + methodName + '() requires an amount of margin above 0'); // it is no order
        }
        const request: Dict = {
            'accountId': accountId,
            'marketId': market['id'],
            'direction': direction,
            'amount': text,
        };
        if (this.textParam (params, 'idempotencyKey') === undefined) {
            request['idempotencyKey'] = this.createClientOrderId ();
        }
        const response = await this.privatePostV1AccountsAccountIdPositionsMarketIdMargin (this.extend (request, params));
        return this.parseMarginModification (response, market);
    }

    parseMarginModification (data: Dict, market: Market = undefined): MarginModification {
        //
        //     {
        //         "version": "position-margin-adjustment/v1",
        //         "accountId": "acct-1",
        //         "marketId": "BTC-USD-PERP",
        //         "positionId": "2",
        //         "direction": "add", // add, remove
        //         "amount": "1",
        //         "repaidAtoms": "0",
        //         "margin": "131.033",
        //         "lastSequence": 25,
        //         "idempotencyKey": "..."
        //     }
        //
        const marketId = this.safeString (data, 'marketId');
        market = this.safeMarket (marketId, market);
        const isAdded = (this.safeString (data, 'direction') === 'add');
        return {
            'info': data,
            'symbol': market['symbol'],
            'type': isAdded ? 'add' : 'reduce',
            'marginMode': 'isolated',
            'amount': this.safeNumber (data, 'amount'),
            'total': this.safeNumber (data, 'margin'),
            'code': market['settle'],
            'status': 'ok',
            'timestamp': undefined,
            'datetime': undefined,
        };
    }

    /**
     * @method
     * @name openperp#fetchFundingHistory
     * @description fetch the funding payments of the account's positions
     * @see http://localhost:8080/docs#/Accounts/listFundingPayments
     * @param {string} [symbol] unified market symbol
     * @param {int} [since] the earliest time in ms to fetch funding history for
     * @param {int} [limit] the maximum number of funding history structures to retrieve, at most 500
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @param {int} [params.until] the latest time in ms to fetch funding history for
     * @param {boolean} [params.paginate] true to fetch page after page from since on, see the [available parameters](https://github.com/ccxt/ccxt/wiki/Manual#pagination-params)
     * @returns {object} a list of [funding history structures]{@link https://docs.ccxt.com/?id=funding-history-structure}, the amount is negative if the position paid
     */
    async fetchFundingHistory (symbol: Str = undefined, since: Int = undefined, limit: Int = undefined, params: Dict = {}): Promise<FundingHistory[]> {
        params = this.ownParams ('fetchFundingHistory', params);
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        let paginate = false;
        [ paginate, params ] = this.handleOptionAndParams (params, 'fetchFundingHistory', 'paginate', paginate);
        if (paginate) {
            return await this.fetchAllPages ('fetchFundingHistory', symbol, since, limit, params) as FundingHistory[];
        }
        const request = await this.createListRequest (symbol, since, limit);
        const response = await this.privateGetV1AccountsAccountIdFunding (this.extend (request, params));
        //
        //     {
        //         "version": "external-funding-payment-list/v1",
        //         "accountId": "acct-1",
        //         "payments": [
        //             {
        //                 "paymentId": "3-7",
        //                 "accountId": "acct-1",
        //                 "marketId": "BTC-USD-PERP",
        //                 "positionId": "3",
        //                 "period": 7,
        //                 "fundingRate": "0.0000125",
        //                 "asset": "USD.E",
        //                 "amountAtoms": "125000",
        //                 "amount": "0.125", // positive if paid, negative if received
        //                 "paidAtEpochMs": 1763668800000,
        //                 "sequence": 1234
        //             }
        //         ],
        //         "nextCursor": "...",
        //         "freshness": { "status": "fresh", "asOfEpochMs": 1763670000123 }
        //     }
        //
        const payments = this.pageOf (response, 'payments', since);
        const market = (symbol === undefined) ? undefined : this.market (symbol);
        return this.parseIncomes (payments, market, since, limit);
    }

    parseIncome (income: any, market: Market = undefined) {
        const marketId = this.safeString (income, 'marketId');
        market = this.safeMarket (marketId, market);
        const timestamp = this.safeInteger (income, 'paidAtEpochMs');
        return {
            'info': income,
            'symbol': market['symbol'],
            'code': this.safeCurrencyCode (this.safeString (income, 'asset')),
            'timestamp': timestamp,
            'datetime': this.iso8601 (timestamp),
            'id': this.safeString (income, 'paymentId'),
            'amount': this.parseNumber (Precise.stringNeg (this.safeString (income, 'amount'))),
            'rate': this.safeNumber (income, 'fundingRate'),
        };
    }

    /**
     * @method
     * @name openperp#fetchLedger
     * @description fetch every change of the cash and the position margin of the account: profit and loss, fees, funding, the insurance fund, deposits, withdrawals, transfers
     * @see http://localhost:8080/docs#/Accounts/listLedgerEntries
     * @param {string} [code] unified currency code
     * @param {int} [since] timestamp in ms of the earliest entry
     * @param {int} [limit] the maximum number of entries to retrieve, at most 500
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @param {int} [params.until] timestamp in ms of the latest entry
     * @param {boolean} [params.paginate] true to fetch page after page from since on, see the [available parameters](https://github.com/ccxt/ccxt/wiki/Manual#pagination-params)
     * @returns {object[]} a list of [ledger structures]{@link https://docs.ccxt.com/?id=ledger-entry-structure}, without the balances before and after
     */
    async fetchLedger (code: Str = undefined, since: Int = undefined, limit: Int = undefined, params: Dict = {}): Promise<LedgerEntry[]> {
        params = this.ownParams ('fetchLedger', params);
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        const currency = (code === undefined) ? undefined : this.currency (code);
        let paginate = false;
        [ paginate, params ] = this.handleOptionAndParams (params, 'fetchLedger', 'paginate', paginate);
        if (paginate) {
            return await this.fetchAllPages ('fetchLedger', code, since, limit, params) as LedgerEntry[];
        }
        const request = await this.createListRequest (undefined, since, limit);
        const response = await this.privateGetV1AccountsAccountIdLedger (this.extend (request, params));
        //
        //     {
        //         "version": "ledger-entry-list/v1",
        //         "accountId": "acct-1",
        //         "entries": [], // see parseLedgerEntry
        //         "nextCursor": "...",
        //         "freshness": { "status": "fresh", "asOfEpochMs": 1763670000123 }
        //     }
        //
        return this.parseLedger (this.pageOf (response, 'entries', since), currency, since, limit) as LedgerEntry[];
    }

    parseLedgerEntry (item: Dict, currency: Currency = undefined): LedgerEntry {
        //
        //     {
        //         "entryId": "trade-42-trade_fee",
        //         "accountId": "acct-1",
        //         "kind": "trade_fee", // realized_pnl, trade_fee, liquidation_fee, insurance_covered, insurance_repaid, funding, deposit, withdrawal, withdrawal_release, transfer
        //         "asset": "USD.E",
        //         "amountAtoms": "-120001",
        //         "amount": "-0.120001", // negative if the account paid
        //         "marketId": "BTC-USD-PERP",
        //         "positionId": "3",
        //         "orderId": "7",
        //         "tradeId": "42",
        //         "paymentId": null,
        //         "transferId": null,
        //         "postedAtEpochMs": 1763670000000,
        //         "sequence": 1234
        //     }
        //
        const amount = this.safeString (item, 'amount');
        const timestamp = this.safeInteger (item, 'postedAtEpochMs');
        const types: Dict = {
            'realized_pnl': 'trade',
            'trade_fee': 'fee',
            'liquidation_fee': 'fee',
            'insurance_covered': 'settlement',
            'insurance_repaid': 'settlement',
            'funding': 'fee',
            'deposit': 'transaction',
            'withdrawal': 'transaction',
            'withdrawal_release': 'transaction',
            'transfer': 'transfer',
        };
        const kind = this.safeString (item, 'kind');
        const positionId = this.safeString (item, 'positionId');
        const movementId = this.safeString2 (item, 'paymentId', 'transferId', positionId);
        const isIn = Precise.stringGt (amount, '0');
        currency = this.safeCurrency (this.safeString (item, 'asset'), currency);
        return this.safeLedgerEntry ({
            'info': item,
            'id': this.safeString (item, 'entryId'),
            'direction': isIn ? 'in' : 'out',
            'account': this.safeString (item, 'accountId'),
            'referenceId': this.safeString (item, 'orderId', movementId),
            'referenceAccount': undefined,
            'type': this.safeString (types, kind, kind),
            'currency': currency['code'],
            'amount': Precise.stringAbs (amount),
            'timestamp': timestamp,
            'datetime': this.iso8601 (timestamp),
            'before': undefined,
            'after': undefined,
            'status': 'ok',
            'fee': undefined,
        }, currency) as LedgerEntry;
    }

    /**
     * @method
     * @name openperp#fetchMyLiquidations
     * @description retrieves the liquidations of the account's positions, from pages of its orders: the venue places an order for each
     * @see http://localhost:8080/docs#/Accounts/listOrders
     * @param {string} [symbol] unified market symbol
     * @param {int} [since] the earliest time in ms to fetch liquidations for
     * @param {int} [limit] the maximum number of liquidation structures to retrieve
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @param {int} [params.until] the latest time in ms to fetch liquidations for
     * @param {int} [params.paginationCalls] how many pages of 500 orders are read at most, 10 by default
     * @returns {object[]} an array of [liquidation structures]{@link https://docs.ccxt.com/?id=liquidation-structure}
     */
    async fetchMyLiquidations (symbol: Str = undefined, since: Int = undefined, limit: Int = undefined, params: Dict = {}): Promise<Liquidation[]> {
        params = this.ownParams ('fetchMyLiquidations', params);
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        let calls = 10;
        [ calls, params ] = this.handleOptionAndParams (params, 'fetchMyLiquidations', 'paginationCalls', calls);
        const request = await this.createListRequest (symbol, since);
        const found = [];
        for (let i = 0; i < calls; i++) {
            const response = await this.privateGetV1AccountsAccountIdOrders (this.extend (request, params));
            const rows = this.safeList (response, 'orders', []);
            for (let j = 0; j < rows.length; j++) {
                const isFilled = Precise.stringGt (this.safeString (rows[j], 'filledQuantity'), '0');
                if (isFilled && (this.safeString (rows[j], 'origin') === 'liquidation')) {
                    found.push (rows[j]);
                }
            }
            const cursor = this.safeString (response, 'nextCursor');
            const count = found.length;
            if ((cursor === undefined) || ((limit !== undefined) && (count >= limit))) {
                break;
            }
            request['cursor'] = cursor;
        }
        const market = (symbol === undefined) ? undefined : this.market (symbol);
        return this.parseLiquidations (found, market, since, limit) as Liquidation[];
    }

    parseLiquidation (liquidation: any, market: Market = undefined): Liquidation {
        // an order that the venue placed, see parseOrder
        const marketId = this.safeString (liquidation, 'marketId');
        market = this.safeMarket (marketId, market);
        const timestamp = this.safeInteger2 (liquidation, 'lastFillAtEpochMs', 'createdAtEpochMs');
        return this.safeLiquidation ({
            'info': liquidation,
            'symbol': market['symbol'],
            'contracts': this.safeString (liquidation, 'filledQuantity'),
            'contractSize': this.safeNumber (market, 'contractSize'),
            'price': this.safeString (liquidation, 'averagePrice'),
            'side': this.safeString (liquidation, 'side'),
            'baseValue': undefined,
            'quoteValue': this.safeString (liquidation, 'filledNotional'),
            'timestamp': timestamp,
            'datetime': this.iso8601 (timestamp),
        }, market) as Liquidation;
    }

    /**
     * @method
     * @name openperp#fetchDeposits
     * @description fetch all deposits made to the account
     * @see http://localhost:8080/docs#/Accounts/listTransfers
     * @param {string} [code] unified currency code
     * @param {int} [since] the earliest time in ms to fetch deposits for
     * @param {int} [limit] the maximum number of deposits structures to retrieve
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @param {int} [params.until] the latest time in ms to fetch deposits for
     * @returns {object[]} a list of [transaction structures]{@link https://docs.ccxt.com/?id=transaction-structure}
     */
    async fetchDeposits (code: Str = undefined, since: Int = undefined, limit: Int = undefined, params: Dict = {}): Promise<Transaction[]> {
        const request: Dict = {
            'kind': 'deposit',
        };
        return await this.fetchDepositsWithdrawals (code, since, limit, this.extend (request, params));
    }

    /**
     * @method
     * @name openperp#fetchWithdrawals
     * @description fetch all withdrawals made from the account
     * @see http://localhost:8080/docs#/Accounts/listTransfers
     * @param {string} [code] unified currency code
     * @param {int} [since] the earliest time in ms to fetch withdrawals for
     * @param {int} [limit] the maximum number of withdrawals structures to retrieve
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @param {int} [params.until] the latest time in ms to fetch withdrawals for
     * @returns {object[]} a list of [transaction structures]{@link https://docs.ccxt.com/?id=transaction-structure}
     */
    async fetchWithdrawals (code: Str = undefined, since: Int = undefined, limit: Int = undefined, params: Dict = {}): Promise<Transaction[]> {
        const request: Dict = {
            'kind': 'withdrawal',
        };
        return await this.fetchDepositsWithdrawals (code, since, limit, this.extend (request, params));
    }

    /**
     * @method
     * @name openperp#fetchDepositsWithdrawals
     * @description fetch deposits and withdrawals by the time of their last change, page by page
     * @see http://localhost:8080/docs#/Accounts/listTransfers
     * @param {string} [code] unified currency code
     * @param {int} [since] the earliest time in ms to fetch deposits and withdrawals for
     * @param {int} [limit] the maximum number of transaction structures to retrieve
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @param {int} [params.until] the latest time in ms to fetch deposits and withdrawals for
     * @returns {object[]} a list of [transaction structures]{@link https://docs.ccxt.com/?id=transaction-structure}
     */
    async fetchDepositsWithdrawals (code: Str = undefined, since: Int = undefined, limit: Int = undefined, params: Dict = {}): Promise<Transaction[]> {
        params = this.ownParams ('fetchDepositsWithdrawals', params);
        if ((limit !== undefined) && !(this.isRoundNumber (limit) && (limit > 0))) {
            throw new BadRequest (this.id + ' fetchDepositsWithdrawals() requires a limit of 1 or more');
        }
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        const currency = (code === undefined) ? undefined : this.currency (code);
        const accountId = await this.loadAccountId ();
        const request: Dict = {
            'accountId': accountId,
            'limit': 100,
        };
        if (since !== undefined) {
            request['since'] = since;
        }
        const transfers: Dict = {};
        let isLast = false;
        while (!isLast) {
            const response = await this.privateGetV1AccountsAccountIdTransfers (this.extend (request, params));
            //
            //     {
            //         "version": "external-transfer-history/v1",
            //         "accountId": "acct-1",
            //         "transfers": [ // by the time of their last change, oldest first
            //             {
            //                 "transferId": "deposit-1",
            //                 "accountId": "acct-1",
            //                 "kind": "deposit", // deposit, withdrawal
            //                 "asset": "USD.E",
            //                 "amountAtoms": "1000000000",
            //                 "amount": "1000",
            //                 "status": "credited", // credited, requested, reserved, authorized, submitted, settled, released
            //                 "ledgerEventId": "...", // null if no money has left
            //                 "updatedAtEpochMs": 1763670000000,
            //                 "lastSequence": 1234
            //             }
            //         ],
            //         "nextCursor": "...", // null on the last page
            //         "freshness": { "status": "fresh", "asOfEpochMs": 1763670000123 }
            //     }
            //
            const page = this.safeList (response, 'transfers', []);
            for (let i = 0; i < page.length; i++) {
                const id = this.safeString (page[i], 'transferId');
                transfers[id] = page[i]; // a transfer that changed meanwhile is listed again, keep the newest
            }
            const cursor = this.safeString (response, 'nextCursor');
            const ids = Object.keys (transfers);
            const found = ids.length;
            // the newest are on the last page, the first since a time are on the first
            const isEnough = (since !== undefined) && (limit !== undefined) && (found >= limit);
            isLast = (cursor === undefined) || isEnough;
            request['cursor'] = cursor;
        }
        return this.parseTransactions (this.toArray (transfers), currency, since, limit);
    }

    /**
     * @method
     * @name openperp#withdraw
     * @description request a withdrawal to the party of the account on the ledger, for which the owner then signs on the page /app of the venue, an api key is refused with PermissionDenied
     * @see http://localhost:8080/docs#/Withdrawals/requestWithdrawal
     * @param {string} code unified currency code
     * @param {float} amount the amount to withdraw
     * @param {string} address the party of the account on the ledger
     * @param {string} [tag] not supported
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @param {string} [params.idempotencyKey] the key that makes a repeated request safe, generated for each call if not assigned
     * @returns {object} a [transaction structure]{@link https://docs.ccxt.com/?id=transaction-structure}
     */
    async withdraw (code: string, amount: number, address: string, tag: Str = undefined, params: Dict = {}): Promise<Transaction> {
        params = this.ownParams ('withdraw', params);
        [ tag, params ] = this.handleWithdrawTagAndParams (tag, params);
        if (tag !== undefined) {
            throw new NotSupported (this.id + ' withdraw() supports no tag: the ledger has addresses only');
        }
        this.checkAddress (address);
        let idempotencyKey = this.textParam (params, 'idempotencyKey');
        if (idempotencyKey === undefined) {
            idempotencyKey = this.uuid (); // once per call, because sign () runs again for every retry
        }
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        const currency = this.currency (code);
        const request: Dict = {
            'asset': currency['id'],
            'amount': this.withdrawalAmount (code, amount),
            'destination': address,
        };
        request['accountId'] = await this.loadAccountId ();
        request['idempotencyKey'] = idempotencyKey;
        const response = await this.privatePostV1Withdrawals (this.extend (request, params));
        //
        //     {
        //         "version": "external-withdrawal/v1",
        //         "withdrawalId": "withdrawal-1",
        //         "accountId": "acct-1",
        //         "asset": "USD.E",
        //         "amount": "25",
        //         "status": "requested", // requested, reserved, authorized, submitted, blocked
        //         "lastSequence": 1234,
        //         "idempotencyKey": "..."
        //     }
        //
        const transaction = this.parseTransaction (response, currency);
        transaction['address'] = address;
        transaction['addressTo'] = address;
        return transaction;
    }

    withdrawalAmount (code: string, amount: any): string {
        // a plain decimal, truncated to the smallest amount of the currency
        let parsed = undefined;
        if (this.isDecimal (amount)) {
            parsed = this.parseNumber (amount);
        }
        const isInRange = (parsed !== undefined) && (parsed > 0) && (parsed < 100000000000000000000);
        if (!isInRange) {
            throw new BadRequest (this.id + ' withdraw() requires an amount above 0');
        }
        const currency = this.currency (code);
        const result = this.decimalToPrecision (this.numberToString (parsed), TRUNCATE, currency['precision'], this.precisionMode, this.paddingMode);
        if (Precise.stringEq (result, '0')) {
            throw new BadRequest (this.id + ' withdraw() requires an amount that is not below the precision of ' + code);
        }
        return result;
    }

    parseTransaction (transaction: Dict, currency: Currency = undefined): Transaction {
        const timestamp = this.safeInteger (transaction, 'updatedAtEpochMs');
        const code = this.safeCurrencyCode (this.safeString (transaction, 'asset'), currency);
        return {
            'info': transaction,
            'id': this.safeString2 (transaction, 'transferId', 'withdrawalId'),
            'txid': this.safeString (transaction, 'ledgerEventId'),
            'timestamp': timestamp,
            'datetime': this.iso8601 (timestamp),
            'network': 'LEDGER',
            'address': undefined,
            'addressTo': undefined,
            'addressFrom': undefined,
            'tag': undefined,
            'tagTo': undefined,
            'tagFrom': undefined,
            'type': this.safeString (transaction, 'kind', 'withdrawal'),
            'amount': this.safeNumber (transaction, 'amount'),
            'currency': code,
            'status': this.parseTransactionStatus (this.safeString (transaction, 'status')),
            'updated': timestamp,
            'comment': undefined,
            'internal': false,
            'fee': {
                'cost': this.parseNumber ('0'),
                'currency': code,
            },
        };
    }

    parseTransactionStatus (status: Str): Str {
        const statuses: Dict = {
            'credited': 'ok',
            'requested': 'pending',
            'reserved': 'pending',
            'authorized': 'pending',
            'submitted': 'pending',
            'settled': 'ok',
            'released': 'canceled',
            'blocked': 'canceled', // as transfers show it when it is released: all of it is back in the account
        };
        return this.safeString (statuses, status, status);
    }

    parsePosition (position: Dict, market: Market = undefined): Position {
        const marketId = this.safeString (position, 'marketId');
        market = this.safeMarket (marketId, market);
        const timestamp = this.safeInteger (position, 'updatedAtEpochMs');
        const isClosed = (this.safeString (position, 'status') === 'closed');
        const contracts = this.safeString (position, 'currentQuantity');
        let entryNotional = this.safeString (position, 'entryNotional');
        let margin = this.safeString (position, 'margin');
        let entryPrice = Precise.stringDiv (entryNotional, contracts);
        let exitPrice = undefined;
        if (isClosed) {
            entryNotional = undefined;
            margin = undefined;
            entryPrice = this.safeString (position, 'avgEntryPrice');
            exitPrice = this.safeString (position, 'avgExitPrice');
        }
        const markPrice = this.safeString (position, 'markPrice');
        const notional = Precise.stringMul (contracts, markPrice);
        const unrealizedPnl = this.safeString (position, 'unrealizedPnl');
        const collateral = Precise.stringAdd (margin, unrealizedPnl);
        const maintenanceMargin = this.safeString (position, 'maintenanceRequirement');
        return this.safePosition ({
            'info': position,
            'id': this.safeString (position, 'positionId'),
            'symbol': market['symbol'],
            'timestamp': timestamp,
            'datetime': this.iso8601 (timestamp),
            'lastUpdateTimestamp': timestamp,
            'contracts': this.parseNumber (contracts),
            'contractSize': this.safeNumber (market, 'contractSize'),
            'side': this.safeString (position, 'side'),
            'hedged': false,
            'marginMode': this.safeString (position, 'marginMode'),
            'entryPrice': this.parseNumber (entryPrice),
            'markPrice': this.parseNumber (markPrice),
            'lastPrice': this.parseNumber (exitPrice),
            'notional': this.parseNumber (notional),
            'leverage': this.parseNumber (Precise.stringDiv (entryNotional, margin)),
            'collateral': this.parseNumber (collateral),
            'initialMargin': this.parseNumber (margin),
            'initialMarginPercentage': this.parseNumber (Precise.stringDiv (margin, entryNotional)),
            'maintenanceMargin': this.parseNumber (maintenanceMargin),
            'maintenanceMarginPercentage': this.parseNumber (Precise.stringDiv (maintenanceMargin, notional)),
            'marginRatio': this.parseNumber (Precise.stringDiv (maintenanceMargin, collateral)),
            'unrealizedPnl': this.parseNumber (unrealizedPnl),
            'realizedPnl': this.safeNumber (position, 'realizedPnl'),
            'liquidationPrice': this.safeNumber (position, 'liquidationPrice'),
            'stopLossPrice': undefined,
            'takeProfitPrice': undefined,
            'percentage': this.parseNumber (Precise.stringMul (Precise.stringDiv (unrealizedPnl, margin), '100')),
        });
    }

    /**
     * @method
     * @name openperp#createOrder
     * @description create a trade order, or one that waits for a price; until then it is open, in no book, and reserves no margin
     * @see http://localhost:8080/docs#/Orders/placeOrder
     * @param {string} symbol unified symbol of the market to create an order in
     * @param {string} type 'market' or 'limit'; 'stop_market', 'stop' or 'stop_limit', 'take_profit_market', 'take_profit' or 'take_profit_limit' with params.triggerPrice
     * @param {string} side 'buy' or 'sell'
     * @param {float} amount how much you want to trade in units of the base currency
     * @param {float} [price] the price at which the order is to be fulfilled, in units of the quote currency, ignored in market orders
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @param {string} [params.clientOrderId] a unique id for the order, generated if not assigned
     * @param {string} [params.timeInForce] 'GTC', 'IOC', 'FOK', 'PO' or 'GTD'
     * @param {int} [params.expiresAt] timestamp in ms at which a 'GTD' order expires, from 1 second to 90 days ahead
     * @param {bool} [params.postOnly] true to make a post-only order
     * @param {bool} [params.reduceOnly] true or false, whether the order may only make a position smaller; by default true with stopLossPrice, takeProfitPrice, trailingPercent, trailingAmount and closePosition
     * @param {float} [params.cost] for market orders, how much to trade in units of the quote currency, instead of the amount
     * @param {float} [params.leverage] the leverage that determines the margin of the order; if not assigned that of the account in the market, see setLeverage
     * @param {float} [params.triggerPrice] the price that the order waits for, on the side of it on which the price is not now, or as params.triggerDirection says
     * @param {string} [params.triggerDirection] 'ascending' or 'descending'
     * @param {float} [params.stopLossPrice] the trigger price of an order that closes a position when the price moves against it
     * @param {float} [params.takeProfitPrice] the trigger price of an order that closes a position when the price moves in its favor
     * @param {float} [params.trailingPercent] the distance of a trailing stop from the best price in percent, with at most two decimals
     * @param {float} [params.trailingAmount] the distance of a trailing stop from the best price, in units of the quote currency
     * @param {string} [params.triggerPriceType] 'mark' (default), 'index' or 'last', the price that the order waits for
     * @param {bool} [params.closePosition] true for a market order that closes the whole position when it is triggered, its amount is ignored
     * @param {string} [params.linkedClientOrderId] the client order id of a waiting order, which is canceled when this one is triggered, and the other way round
     * @param {object} [params.stopLoss] a stop-loss of what this order opens, an order of its own: triggerPrice, price for a limit order, triggerPriceType
     * @param {object} [params.takeProfit] a take-profit of what this order opens, an order of its own: triggerPrice, price for a limit order, triggerPriceType
     * @param {string} [params.idempotencyKey] the key that makes a repeated request safe, generated for each call if not assigned; without a clientOrderId, one is derived from it
     * @returns {object} an [order structure]{@link https://docs.ccxt.com/?id=order-structure}
     */
    async createOrder (symbol: string, type: OrderType, side: OrderSide, amount: number, price: Num = undefined, params: Dict = {}): Promise<Order> {
        this.checkOrderParams (type, side, params);
        params = this.ownOrderParams (type, side, params);
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        const market = this.market (symbol);
        const request = this.createOrderRequest (symbol, type, side, amount, price, params);
        if ((this.accountId === undefined) || (this.accountId === '')) {
            await this.loadAccountId ();
        }
        request['accountId'] = this.accountId;
        const response = await this.privatePostV1Orders (request);
        return this.parseOrder (response, market);
    }

    checkOrderParams (type: OrderType, side: OrderSide, params: Dict = {}) {
        // refuses unsupported orders before the request
        const form = this.formOf (type);
        if (form === undefined) {
            throw new NotSupported (this.id + ' createOrder() does not support the type ' + this.safeString ({ 'type': type }, 'type', '') + ': send limit, market, stop_market, stop_limit, take_profit_market or take_profit_limit');
        }
        const keys = Object.keys (params);
        const length = keys.length;
        if ((length === 0) && (form === type)) {
            return;
        }
        const texts = [ 'clientOrderId', 'idempotencyKey', 'timeInForce', 'marginMode', 'linkedClientOrderId', 'expiresAt', 'goodTillDate' ];
        for (let i = 0; i < texts.length; i++) {
            this.textParam (params, texts[i]);
        }
        this.checkNotEmpty (params, 'leverage');
        if (('cost' in params) && (params['cost'] === '')) {
            throw new InvalidOrder (this.id + ' the cost of an order must be a number');
        }
        const flags = [ 'postOnly', 'post_only', 'reduceOnly', 'reduce_only', 'hedged', 'closePosition' ];
        for (let i = 0; i < flags.length; i++) {
            this.checkNotEmpty (params, flags[i]);
            const flag = this.safeValue (params, flags[i]);
            if ((flag !== undefined) && (typeof flag !== 'boolean')) {
                throw new BadRequest (this.id + ' createOrder() requires params.' + flags[i] + ' to be the boolean true or false');
            }
        }
        this.checkAliases (params, [ 'postOnly', 'post_only' ]);
        this.checkAliases (params, [ 'reduceOnly', 'reduce_only' ]);
        this.checkAliases (params, [ 'expiresAt', 'goodTillDate' ]);
        this.checkAliases (params, [ 'positionSide', 'posSide' ]);
        const leverage = this.safeValue (params, 'leverage');
        if (leverage !== undefined) {
            this.parseOrderLeverage (leverage);
        }
        if (this.safeValue (params, 'trailingTriggerPrice') !== undefined) {
            throw new NotSupported (this.id + ' createOrder() does not support trailingTriggerPrice: a trailing stop follows the price from its placement');
        }
        const trigger = this.triggerOf (type, params);
        this.checkTimeInForce (form, (trigger !== undefined), params);
        if (trigger === undefined) {
            this.checkNotWaiting (params);
        } else {
            this.checkTrigger (trigger, side, params);
        }
        const legs = [ 'stopLoss', 'takeProfit' ];
        for (let i = 0; i < legs.length; i++) {
            this.checkLeg (legs[i], (trigger !== undefined), params);
        }
    }

    formOf (type: OrderType): Str {
        // limit or market, also of an order that waits for a price
        if ((type === 'limit') || (type === 'market')) {
            return type;
        }
        const forms: Dict = {
            'stop': 'limit',
            'stop_limit': 'limit',
            'stop_market': 'market',
            'take_profit': 'limit',
            'take_profit_limit': 'limit',
            'take_profit_market': 'market',
        };
        return this.safeString (forms, type);
    }

    triggerOf (type: OrderType, params: Dict = {}): any {
        // what an order waits for: the venue's type of trigger, and the param with the price or distance; undefined if it does not wait
        const kinds: Dict = {
            'stopLossPrice': 'stop_loss',
            'takeProfitPrice': 'take_profit',
            'triggerPrice': 'trigger',
            'stopPrice': 'trigger',
            'trailingPercent': 'trailing_stop',
            'trailingAmount': 'trailing_stop',
        };
        const names = Object.keys (kinds);
        let found = undefined;
        for (let i = 0; i < names.length; i++) {
            const name = names[i];
            this.checkNotEmpty (params, name);
            if (this.safeValue (params, name) !== undefined) {
                if (found !== undefined) {
                    throw new InvalidOrder (this.id + ' createOrder() an order waits for one price, and params have ' + found + ' and ' + name + ': send one of them, and another order, or params.stopLoss and params.takeProfit');
                }
                found = name;
            }
        }
        const form = this.formOf (type);
        if (form === type) {
            if (found === undefined) {
                return undefined;
            }
            return { 'type': kinds[found], 'param': found };
        }
        const isStop = (type.indexOf ('stop') === 0);
        const kind = isStop ? 'stop_loss' : 'take_profit';
        if (found === undefined) {
            throw new ArgumentsRequired (this.id + ' createOrder() requires params.triggerPrice for a ' + type + ' order');
        }
        if ((kinds[found] !== kind) && (kinds[found] !== 'trigger')) {
            throw new BadRequest (this.id + ' createOrder() a ' + type + ' order takes params.triggerPrice, not params.' + found);
        }
        return { 'type': kind, 'param': found };
    }

    isReduceOnly (type: OrderType, params: Dict = {}): boolean {
        const chosen = this.safeValue2 (params, 'reduceOnly', 'reduce_only');
        if (chosen !== undefined) {
            return chosen;
        }
        if (this.safeBool (params, 'closePosition', false) === true) {
            return true;
        }
        const trigger = this.triggerOf (type, params);
        const param = this.safeString (trigger, 'param');
        return this.inArray (param, [ 'stopLossPrice', 'takeProfitPrice', 'trailingPercent', 'trailingAmount' ]);
    }

    checkTimeInForce (form: string, waits: boolean, params: Dict = {}) {
        const timeInForce = this.safeStringUpper (params, 'timeInForce', 'GTC');
        if (!this.inArray (timeInForce, [ 'GTC', 'IOC', 'FOK', 'PO', 'GTD' ])) {
            throw new NotSupported (this.id + ' createOrder() does not support timeInForce ' + timeInForce + ': send GTC, IOC, FOK, GTD, or PO for post-only, which other venues call GTX');
        }
        const isMarketOrder = (form === 'market');
        if (isMarketOrder && ((timeInForce === 'FOK') || (timeInForce === 'GTD'))) {
            throw new NotSupported (this.id + ' createOrder() a market order is IOC, and not ' + timeInForce);
        }
        const isPostOnly = this.isPostOnly (isMarketOrder, false, params);
        const isIoc = isMarketOrder && (timeInForce === 'IOC');
        if (waits && (isPostOnly || ((timeInForce !== 'GTC') && !isIoc))) {
            throw new NotSupported (this.id + ' createOrder() an order that waits for a price is GTC: omit params.timeInForce and params.postOnly');
        }
        const expiry = this.expiryOf (params);
        if ((timeInForce === 'GTD') && (expiry === undefined)) {
            throw new ArgumentsRequired (this.id + ' createOrder() requires params.expiresAt for timeInForce GTD, a timestamp in ms');
        }
        if ((expiry !== undefined) && (timeInForce !== 'GTD')) {
            throw new BadRequest (this.id + ' createOrder() takes params.expiresAt with timeInForce GTD only');
        }
    }

    expiryOf (params: Dict = {}): Int {
        const text = this.safeString2 (params, 'expiresAt', 'goodTillDate');
        if (text === undefined) {
            return undefined;
        }
        if (!this.isWithin (text, '0', '9') || (text.length > 15)) {
            throw new BadRequest (this.id + ' createOrder() requires params.expiresAt to be a timestamp in ms, got ' + text);
        }
        return this.parseToInt (text);
    }

    checkNotWaiting (params: Dict = {}) {
        // params that only an order with a trigger price has
        if (this.safeBool (params, 'closePosition', false) === true) {
            throw new NotSupported (this.id + ' createOrder() supports params.closePosition for an order that waits for a price: to close a position now call closePosition()');
        }
        const names = [ 'triggerDirection', 'triggerPriceType', 'triggerBy', 'priceType', 'linkedClientOrderId' ];
        for (let i = 0; i < names.length; i++) {
            if (this.safeValue (params, names[i]) !== undefined) {
                throw new BadRequest (this.id + ' createOrder() takes params.' + names[i] + ' with params.triggerPrice, stopLossPrice, takeProfitPrice, trailingPercent or trailingAmount only');
            }
        }
    }

    checkTrigger (trigger: Dict, side: OrderSide, params: Dict = {}) {
        if (this.safeValue (params, 'cost') !== undefined) {
            throw new NotSupported (this.id + ' createOrder() supports an amount for an order that waits for a price, not params.cost');
        }
        const source = this.triggerSourceOf (params);
        const kind = trigger['type'];
        if ((kind === 'trailing_stop') && (source === 'last')) {
            throw new NotSupported (this.id + ' createOrder() a trailing stop follows the mark or the index price, not last');
        }
        const direction = this.triggerDirectionOf (params);
        if ((direction === undefined) || (kind === 'trigger')) {
            return;
        }
        const isStop = (kind !== 'take_profit');
        const isBelow = (isStop === (side === 'sell'));
        const expected = isBelow ? 'below' : 'above';
        if (direction !== expected) {
            throw new BadRequest (this.id + ' createOrder() a ' + side + ' by ' + kind + ' is triggered ' + expected + ' its price: omit params.triggerDirection');
        }
    }

    triggerSourceOf (params: Dict = {}, place: string = 'params'): Str {
        const names = [ 'triggerPriceType', 'triggerBy', 'priceType' ];
        const sources: Dict = {
            'mark': 'mark',
            'markprice': 'mark',
            'mark_price': 'mark',
            'index': 'index',
            'indexprice': 'index',
            'index_price': 'index',
            'last': 'last',
            'lastprice': 'last',
            'last_price': 'last',
        };
        let source = undefined;
        for (let i = 0; i < names.length; i++) {
            const text = this.lowerTextOf (params, names[i]);
            if (text !== undefined) {
                const found = this.safeString (sources, text);
                if (found === undefined) {
                    throw new BadRequest (this.id + ' createOrder() requires ' + place + '.' + names[i] + ' to be mark, index or last, got ' + text);
                }
                if ((source !== undefined) && (source !== found)) {
                    throw new BadRequest (this.id + ' createOrder() ' + place + ' say two prices to wait for, ' + source + ' and ' + found + ': send one of triggerPriceType, triggerBy and priceType');
                }
                source = found;
            }
        }
        return source;
    }

    triggerDirectionOf (params: Dict = {}): Str {
        const text = this.lowerTextOf (params, 'triggerDirection');
        if (text === undefined) {
            return undefined;
        }
        const directions: Dict = {
            'ascending': 'above',
            'above': 'above',
            'up': 'above',
            'descending': 'below',
            'below': 'below',
            'down': 'below',
        };
        const direction = this.safeString (directions, text);
        if (direction === undefined) {
            throw new BadRequest (this.id + ' createOrder() requires params.triggerDirection to be ascending or descending, got ' + text);
        }
        return direction;
    }

    checkLeg (name: string, waits: boolean, params: Dict = {}) {
        const leg = this.safeValue (params, name);
        if (leg === undefined) {
            return;
        }
        if (waits) {
            throw new NotSupported (this.id + ' createOrder() an order that waits for a price cannot have params.' + name);
        }
        if (this.safeBool2 (params, 'reduceOnly', 'reduce_only', false) === true) {
            throw new InvalidOrder (this.id + ' createOrder() an order with params.' + name + ' opens a position, it cannot be reduceOnly: send params.' + name + 'Price to close one');
        }
        const values = this.safeDict (params, name);
        if (values === undefined) {
            throw new BadRequest (this.id + ' createOrder() requires params.' + name + ' to be a dictionary with a triggerPrice');
        }
        const keys = Object.keys (values);
        for (let i = 0; i < keys.length; i++) {
            if (!this.inArray (keys[i], [ 'triggerPrice', 'stopPrice', 'price', 'type', 'amount', 'triggerPriceType', 'triggerBy', 'priceType' ])) {
                throw new BadRequest (this.id + ' createOrder() does not know params.' + name + '.' + keys[i]);
            }
        }
        if ((this.safeValue (values, 'triggerPrice') !== undefined) && (this.safeValue (values, 'stopPrice') !== undefined)) {
            throw new InvalidOrder (this.id + ' createOrder() params.' + name + ' has triggerPrice and stopPrice, names of one price: send one of them');
        }
        if (this.safeValue2 (values, 'triggerPrice', 'stopPrice') === undefined) {
            throw new ArgumentsRequired (this.id + ' createOrder() requires params.' + name + '.triggerPrice');
        }
        this.triggerSourceOf (values, 'params.' + name);
        const type = this.lowerTextOf (values, 'type');
        if ((type !== undefined) && (type !== 'limit') && (type !== 'market')) {
            throw new NotSupported (this.id + ' createOrder() supports limit and market for params.' + name + '.type, got ' + type);
        }
        if ((type === 'limit') && (this.safeValue (values, 'price') === undefined)) {
            throw new ArgumentsRequired (this.id + ' createOrder() requires params.' + name + '.price for a limit order');
        }
    }

    ownOrderParams (type: OrderType, side: OrderSide, params: Dict = {}): Dict {
        return this.ownParams ('createOrder', this.handlePositionSide (type, side, params));
    }

    textParam (params: Dict, name: string): Str {
        // a string or a number: ignoring another type silently would change the request
        this.checkNotEmpty (params, name);
        const text = this.safeString (params, name);
        if ((text === undefined) && (this.safeValue (params, name) !== undefined)) {
            throw new BadRequest (this.id + ' params.' + name + ' must be a string');
        }
        return text;
    }

    checkNotEmpty (params: Dict, name: string) {
        // ccxt treats an empty string as absent
        if ((name in params) && (params[name] === '')) {
            throw new BadRequest (this.id + ' ' + name + ' is empty: omit it, or give a value');
        }
    }

    parseOrderLeverage (leverage: any): Num {
        // the venue decides how many decimals it takes
        let multiple = undefined;
        if (this.isDecimal (leverage)) {
            multiple = this.parseNumber (leverage);
        }
        const isInRange = (multiple !== undefined) && (multiple >= 1) && (multiple < 1000000);
        if (!isInRange) {
            throw new BadRequest (this.id + ' the leverage of an order must be a number, 1 or more');
        }
        if (this.isRoundNumber (multiple)) {
            return this.parseToInt (multiple);
        }
        return multiple;
    }

    parsePlainDecimal (name: string, value: any): string {
        // a plain decimal within the venue's limit of digits, from any notation of the number
        let parsed = undefined;
        if (this.isDecimal (value)) {
            parsed = this.parseNumber (value);
        }
        const isInRange = (parsed !== undefined) && (parsed > -100000000000000000000) && (parsed < 100000000000000000000);
        if (!isInRange) {
            throw new InvalidOrder (this.id + ' the ' + name + ' must be a number');
        }
        const text = this.numberToString (value);
        if (this.isWithin (text, '.', '9')) {
            return text;
        }
        return this.numberToString (parsed);
    }

    isDecimal (value: any): boolean {
        // a number, or a string that is a number in every language: no hexadecimals, no underscores
        if (Array.isArray (value)) {
            return false;
        }
        if (typeof value === 'boolean') {
            return false;
        }
        if (typeof value !== 'string') {
            return true;
        }
        const characters = ' 0123456789.+-eE';
        for (let i = 0; i < value.length; i++) {
            if (characters.indexOf (value[i]) < 0) {
                return false;
            }
        }
        return true;
    }

    checkAboveZero (name: string, text: string): string {
        if ((text === '0') || (text[0] === '-')) {
            throw new InvalidOrder (this.id + ' the ' + name + ' must be above 0');
        }
        return text;
    }

    isWithin (text: string, first: string, last: string): boolean {
        // whether every character of a string is between the first and the last
        for (let i = 0; i < text.length; i++) {
            if ((text[i] < first) || (text[i] > last)) {
                return false;
            }
        }
        return true;
    }

    amountToPrecision (symbol: string, amount: any): string {
        // a lot is a power of ten: truncating decimals gives the same result and is faster
        const market = this.market (symbol);
        const decimals = this.safeInteger (market['info'], 'quantityScale');
        const result = this.decimalToPrecision (this.parsePlainDecimal ('amount of an order', amount), TRUNCATE, decimals, DECIMAL_PLACES, this.paddingMode);
        if (result === '0') {
            throw new InvalidOrder (this.id + ' amount of ' + market['symbol'] + ' must be greater than minimum amount precision of ' + this.numberToString (market['precision']['amount']));
        }
        return result;
    }

    priceToPrecision (symbol: string, price: any): string {
        // a tick is a power of ten too, and rounding decimals avoids the remainder of floats
        const market = this.market (symbol);
        const decimals = this.safeInteger (market['info'], 'priceScale');
        const result = this.decimalToPrecision (this.parsePlainDecimal ('price of an order', price), ROUND, decimals, DECIMAL_PLACES, this.paddingMode);
        if (result === '0') {
            throw new InvalidOrder (this.id + ' price of ' + market['symbol'] + ' must be greater than minimum price precision of ' + this.numberToString (market['precision']['price']));
        }
        return result;
    }

    createClientOrderId (): string {
        // unique: the time, and fifteen random digits
        return this.numberToString (this.milliseconds ()) + '-' + this.numberToString (this.randNumber (15));
    }

    clientOrderIdOf (place: string): string {
        // deterministic for a call that is repeated with its idempotency key, so that the request is the same
        return this.hash (this.encode (place), sha256, 'hex');
    }

    createOrderRequest (symbol: string, type: OrderType, side: OrderSide, amount: number, price: Num = undefined, params: Dict = {}): Dict {
        const market = this.market (symbol);
        const form = this.formOf (type);
        const isMarketOrder = (form === 'market');
        // generated here, once per call, because sign () runs again for every retry; not derived from the program's clientOrderId, which may be used again after a refusal, while the refusal is stored under its idempotency key
        let idempotencyKey = this.safeString (params, 'idempotencyKey');
        let clientOrderId = this.safeString (params, 'clientOrderId');
        if (idempotencyKey === undefined) {
            idempotencyKey = this.createClientOrderId ();
            if (clientOrderId === undefined) {
                clientOrderId = idempotencyKey;
            }
        } else if (clientOrderId === undefined) {
            clientOrderId = this.clientOrderIdOf ('order/' + idempotencyKey);
        }
        const request: Dict = {
            'marketId': market['id'],
            'clientOrderId': clientOrderId,
            'side': side,
            'orderType': form,
            'idempotencyKey': idempotencyKey,
        };
        const cost = this.safeValue (params, 'cost');
        if (isMarketOrder && (cost !== undefined)) {
            request['notional'] = this.checkAboveZero ('cost of an order', this.costToPrecision (symbol, this.parsePlainDecimal ('cost of an order', cost)));
        } else if (this.safeBool (params, 'closePosition', false) !== true) {
            if (amount === undefined) {
                throw new ArgumentsRequired (this.id + ' createOrder() requires an amount argument');
            }
            request['quantity'] = this.checkAboveZero ('amount of an order', this.amountToPrecision (symbol, amount));
        }
        if (!isMarketOrder) {
            if (cost !== undefined) {
                throw new NotSupported (this.id + ' createOrder() supports params.cost for market orders only');
            }
            if (price === undefined) {
                throw new ArgumentsRequired (this.id + ' createOrder() requires a price argument for a limit order');
            }
            request['price'] = this.checkAboveZero ('price of an order', this.priceToPrecision (symbol, price));
        }
        const keys = Object.keys (params);
        const length = keys.length;
        if (length === 0) {
            return request; // most orders have no other parameter
        }
        const leverage = this.safeValue (params, 'leverage');
        if (leverage !== undefined) {
            request['leverageX'] = this.parseOrderLeverage (leverage);
        }
        const timeInForce = this.safeStringUpper (params, 'timeInForce');
        if (this.isPostOnly (isMarketOrder, false, params)) {
            request['postOnly'] = true;
        }
        if (!isMarketOrder && this.inArray (timeInForce, [ 'IOC', 'FOK', 'GTD' ])) {
            request['timeInForce'] = timeInForce;
        }
        if (timeInForce === 'GTD') {
            request['expiresAtEpochMs'] = this.expiryOf (params);
        }
        const isReduceOnly = this.isReduceOnly (type, params);
        if (isReduceOnly) {
            request['reduceOnly'] = true;
        }
        const trigger = this.triggerOf (type, params);
        if (trigger !== undefined) {
            request['reduceOnly'] = isReduceOnly; // the venue's default is another one for some types
            request['trigger'] = this.createTriggerRequest (symbol, trigger, params);
        }
        const legs = [ 'stopLoss', 'takeProfit' ];
        for (let i = 0; i < legs.length; i++) {
            if (this.safeValue (params, legs[i]) !== undefined) {
                request[legs[i]] = this.createLegRequest (symbol, legs[i], request, params[legs[i]]);
            }
        }
        const rest = this.omit (params, [ 'clientOrderId', 'idempotencyKey', 'cost', 'timeInForce', 'expiresAt', 'goodTillDate', 'postOnly', 'post_only', 'reduceOnly', 'reduce_only', 'leverage', 'triggerPrice', 'stopPrice', 'stopLossPrice', 'takeProfitPrice', 'trailingPercent', 'trailingAmount', 'trailingTriggerPrice', 'triggerDirection', 'triggerPriceType', 'triggerBy', 'priceType', 'closePosition', 'linkedClientOrderId', 'stopLoss', 'takeProfit' ]);
        return this.extend (request, rest);
    }

    createTriggerRequest (symbol: string, trigger: Dict, params: Dict = {}): Dict {
        const kind = trigger['type'];
        const param = trigger['param'];
        const value = params[param];
        const request: Dict = {
            'type': kind,
        };
        if (param === 'trailingPercent') {
            request['trailingBps'] = this.trailingBpsOf (value);
        } else if (param === 'trailingAmount') {
            request['trailingAmount'] = this.triggerPriceToPrecision (symbol, param, value);
        } else {
            request['price'] = this.triggerPriceToPrecision (symbol, param, value);
        }
        const source = this.triggerSourceOf (params);
        if (source !== undefined) {
            request['source'] = source;
        }
        const direction = this.triggerDirectionOf (params);
        if ((direction !== undefined) && (kind === 'trigger')) {
            request['direction'] = direction;
        }
        if (this.safeBool (params, 'closePosition', false) === true) {
            request['closePosition'] = true;
        }
        const linkedClientOrderId = this.safeString (params, 'linkedClientOrderId');
        if (linkedClientOrderId !== undefined) {
            request['linkedClientOrderId'] = linkedClientOrderId;
        }
        return request;
    }

    triggerPriceToPrecision (symbol: string, name: string, price: any): string {
        this.checkAboveZero (name + ' of an order', this.parsePlainDecimal (name + ' of an order', price));
        return this.checkAboveZero (name + ' of an order', this.priceToPrecision (symbol, price));
    }

    trailingBpsOf (percent: any): Int {
        const text = this.checkAboveZero ('trailingPercent of an order', this.parsePlainDecimal ('trailingPercent of an order', percent));
        const bps = Precise.stringMul (text, '100');
        if (!Precise.stringEquals (Precise.stringMod (bps, '1'), '0') || Precise.stringGt (bps, '9999')) {
            throw new InvalidOrder (this.id + ' the trailingPercent of an order must be from 0.01 to 99.99, with at most two decimals, got ' + text);
        }
        return this.parseToInt (bps);
    }

    createLegRequest (symbol: string, name: string, order: Dict, leg: Dict): Dict {
        const request: Dict = {
            'triggerPrice': this.triggerPriceToPrecision (symbol, name + '.triggerPrice', this.safeValue2 (leg, 'triggerPrice', 'stopPrice')),
        };
        const source = this.triggerSourceOf (leg);
        if (source !== undefined) {
            request['source'] = source;
        }
        const price = this.safeValue (leg, 'price');
        if ((price !== undefined) && (this.lowerTextOf (leg, 'type') !== 'market')) {
            request['price'] = this.triggerPriceToPrecision (symbol, name + '.price', price);
        }
        const amount = this.safeValue (leg, 'amount');
        if (amount !== undefined) {
            const quantity = this.safeString (order, 'quantity');
            if (!Precise.stringEquals (this.amountToPrecision (symbol, amount), quantity)) {
                throw new NotSupported (this.id + ' createOrder() the amount of ' + name + ' is what the order opens: omit params.' + name + '.amount, or create an order of its own');
            }
        }
        return request;
    }

    /**
     * @method
     * @name openperp#createOrders
     * @description create several limit orders, and orders that wait for a price; each is accepted or refused separately
     * @see http://localhost:8080/docs#/Orders/placeOrders
     * @param {Array} orders list of orders to create, at most 32, each object should contain the parameters required by createOrder, namely symbol, type, side, amount, price and params
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @param {string} [params.idempotencyKey] the key that makes a repeated request safe, generated if not assigned
     * @returns {object[]} a list of [order structures]{@link https://docs.ccxt.com/?id=order-structure}, one per order in the order of the request; a refused order has the status rejected, and its info has the reason
     */
    async createOrders (orders: OrderRequest[], params: Dict = {}): Promise<Order[]> {
        this.checkOrderRequests ('createOrders', orders, [ 'symbol', 'type', 'side', 'amount', 'price', 'params' ]);
        let idempotencyKey = this.textParam (params, 'idempotencyKey');
        const isRepeatable = (idempotencyKey !== undefined);
        if (!isRepeatable) {
            idempotencyKey = this.uuid ();
        }
        params = this.omit (params, 'idempotencyKey');
        const paramsOfOrders = [];
        for (let i = 0; i < orders.length; i++) {
            const type = this.safeString (orders[i], 'type');
            const side = this.safeString (orders[i], 'side') as OrderSide;
            const ownParams = this.safeDict (orders[i], 'params', {});
            const orderParams = this.extend (params, ownParams);
            this.checkOrderParams (type, side, orderParams);
            if ((this.formOf (type) === 'market') && (this.triggerOf (type, orderParams) === undefined)) {
                throw new NotSupported (this.id + ' createOrders() supports limit orders, and market orders that wait for a price');
            }
            paramsOfOrders.push (this.ownOrderParams (type, side, orderParams));
        }
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        const accountId = await this.loadAccountId ();
        const requests = [];
        for (let i = 0; i < orders.length; i++) {
            const order = orders[i] as Dict;
            // an absent key is an error in Python
            const amount = ('amount' in order) ? order['amount'] : undefined;
            const price = ('price' in order) ? order['price'] : undefined;
            const orderParams = this.extend (paramsOfOrders[i], {});
            if (isRepeatable && (this.safeString (orderParams, 'clientOrderId') === undefined)) {
                orderParams['clientOrderId'] = this.clientOrderIdOf ('orders/' + this.numberToString (i) + '/' + idempotencyKey);
            }
            const request = this.createOrderRequest (this.safeString (order, 'symbol'), this.safeString (order, 'type'), this.safeString (order, 'side') as OrderSide, amount, price, orderParams);
            request['accountId'] = accountId;
            requests.push (this.omit (request, 'idempotencyKey'));
        }
        const response = await this.privatePostV1OrdersBatch ({ 'orders': requests, 'idempotencyKey': idempotencyKey });
        const result = this.parseOutcomes (response);
        for (let i = 0; i < result.length; i++) {
            if ((i < orders.length) && (result[i]['status'] === 'rejected')) {
                // the venue returns the reason and the ids of a refused order only
                const market = this.market (orders[i]['symbol']);
                result[i]['symbol'] = market['symbol'];
                result[i]['type'] = this.safeString (requests[i], 'orderType');
                result[i]['side'] = this.safeString (requests[i], 'side');
                result[i]['amount'] = this.safeNumber (requests[i], 'quantity');
                result[i]['price'] = this.safeNumber (requests[i], 'price');
            }
        }
        return result;
    }

    checkOrderRequests (methodName: string, orders: any, names: string[]) {
        // a field that is not sent would change the order: one without its stop-loss price trades at once
        if (!Array.isArray (orders)) {
            throw new ArgumentsRequired (this.id + ' ' + methodName + '() requires a list of orders');
        }
        for (let i = 0; i < orders.length; i++) {
            const order = this.safeDict (orders, i);
            if (order === undefined) {
                throw new BadRequest (this.id + ' ' + methodName + '() requires each order to be a dictionary');
            }
            const keys = Object.keys (order);
            for (let j = 0; j < keys.length; j++) {
                if ((order[keys[j]] !== undefined) && !this.inArray (keys[j], names)) {
                    throw new BadRequest (this.id + ' ' + methodName + '() an order has no field ' + keys[j] + ': put it in params of the order');
                }
            }
            const ownParams = this.safeDict (order, 'params', {});
            if ((this.safeValue (order, 'params') !== undefined) && (this.safeDict (order, 'params') === undefined)) {
                throw new BadRequest (this.id + ' ' + methodName + '() requires params of an order to be a dictionary');
            }
            if (this.safeValue (ownParams, 'idempotencyKey') !== undefined) {
                throw new BadRequest (this.id + ' ' + methodName + '() takes one params.idempotencyKey, for all orders together');
            }
        }
    }

    /**
     * @method
     * @name openperp#createMarketOrderWithCost
     * @description create a market order by providing the symbol, side and cost
     * @see http://localhost:8080/docs#/Orders/placeOrder
     * @param {string} symbol unified symbol of the market to create an order in
     * @param {string} side 'buy' or 'sell'
     * @param {float} cost how much you want to trade in units of the quote currency
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object} an [order structure]{@link https://docs.ccxt.com/?id=order-structure}
     */
    async createMarketOrderWithCost (symbol: string, side: OrderSide, cost: number, params: Dict = {}): Promise<Order> {
        const request: Dict = {
            'cost': cost,
        };
        return await this.createOrder (symbol, 'market', side, undefined, undefined, this.extend (request, params));
    }

    /**
     * @method
     * @name openperp#createMarketBuyOrderWithCost
     * @description create a market buy order by providing the symbol and cost
     * @see http://localhost:8080/docs#/Orders/placeOrder
     * @param {string} symbol unified symbol of the market to create an order in
     * @param {float} cost how much you want to trade in units of the quote currency
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object} an [order structure]{@link https://docs.ccxt.com/?id=order-structure}
     */
    async createMarketBuyOrderWithCost (symbol: string, cost: number, params: Dict = {}): Promise<Order> {
        return await this.createMarketOrderWithCost (symbol, 'buy', cost, params);
    }

    /**
     * @method
     * @name openperp#createMarketSellOrderWithCost
     * @description create a market sell order by providing the symbol and cost
     * @see http://localhost:8080/docs#/Orders/placeOrder
     * @param {string} symbol unified symbol of the market to create an order in
     * @param {float} cost how much you want to trade in units of the quote currency
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object} an [order structure]{@link https://docs.ccxt.com/?id=order-structure}
     */
    async createMarketSellOrderWithCost (symbol: string, cost: number, params: Dict = {}): Promise<Order> {
        return await this.createMarketOrderWithCost (symbol, 'sell', cost, params);
    }

    /**
     * @method
     * @name openperp#editOrder
     * @description changes the amount, the price, or both, of an open limit order, which keeps its id; only a smaller amount at the same price keeps its place in the queue
     * @see http://localhost:8080/docs#/Orders/amendOrder
     * @param {string} id order id
     * @param {string} symbol unified symbol of the market the order was made in
     * @param {string} type 'limit'
     * @param {string} [side] 'buy' or 'sell', compared with the order, which is read for that; undefined saves that request
     * @param {float} [amount] the new amount in units of the base currency, including what has been filled
     * @param {float} [price] the new price at which the order is to be fulfilled
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @param {string} [params.clientOrderId] the client order id, instead of the id
     * @param {string} [params.idempotencyKey] the key that makes a repeated request safe, generated for each call if not assigned
     * @returns {object} an [order structure]{@link https://docs.ccxt.com/?id=order-structure}, without what an amendment does not report: its time, fees and the cost of earlier fills
     */
    async editOrder (id: string, symbol: string, type: OrderType, side: OrderSide, amount: Num = undefined, price: Num = undefined, params: Dict = {}): Promise<Order> {
        params = this.ownParams ('editOrder', params);
        const expectedSide = this.safeString ({ 'side': side }, 'side');
        this.checkAmendment ('editOrder', type, expectedSide, amount, price);
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        const idempotencyKey = this.textParam (params, 'idempotencyKey');
        const accountId = await this.loadAccountId ();
        const request = this.createAmendmentRequest ('editOrder', accountId, id, symbol, amount, price, params);
        request['idempotencyKey'] = (idempotencyKey === undefined) ? this.createClientOrderId () : idempotencyKey;
        if (expectedSide !== undefined) {
            // an amendment has no side, and the new price is one of the other side
            const order = await this.fetchOrder (id, symbol, this.omit (params, 'idempotencyKey'));
            this.checkSameSide ('editOrder', order, expectedSide);
        }
        const response = await this.privatePostV1OrdersAmend (request);
        //
        //     {
        //         "version": "external-order-amendment/v1",
        //         "orderId": "8",
        //         "accountId": "acct-1",
        //         "marketId": "BTC-USD-PERP",
        //         "status": "open",
        //         "side": "buy",
        //         "price": "60000",
        //         "quantity": "0.01",
        //         "filledQuantity": "0",
        //         "remainingQuantity": "0.01",
        //         "keepsPriority": true,
        //         "lastSequence": 26,
        //         "idempotencyKey": "...",
        //         "amendedAtEpochMs": 1700000000039
        //     }
        //
        return this.parseAmendment (response, this.safeString (params, 'clientOrderId'));
    }

    /**
     * @method
     * @name openperp#editOrders
     * @description changes several open limit orders, each is changed or refused separately, see editOrder
     * @see http://localhost:8080/docs#/Orders/amendOrders
     * @param {Array} orders list of changes, at most 32, each object should contain the parameters of editOrder, namely id, symbol, type, side, amount, price and params; with a side, all open orders are read first
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @param {string} [params.idempotencyKey] the key that makes a repeated request safe, generated if not assigned
     * @returns {object[]} a list of [order structures]{@link https://docs.ccxt.com/?id=order-structure}, one per order in the order of the request; info.accepted says whether it was changed, and info.code why not
     */
    async editOrders (orders: OrderRequest[], params: Dict = {}): Promise<Order[]> {
        params = this.ownParams ('editOrders', params);
        this.checkOrderRequests ('editOrders', orders, [ 'id', 'clientOrderId', 'symbol', 'type', 'side', 'amount', 'price', 'params' ]);
        for (let i = 0; i < orders.length; i++) {
            const order = orders[i] as Dict;
            this.checkAmendment ('editOrders', this.safeString (order, 'type'), this.safeString (order, 'side'), this.safeValue (order, 'amount'), this.safeValue (order, 'price'));
        }
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        const idempotencyKey = this.textParam (params, 'idempotencyKey');
        const accountId = await this.loadAccountId ();
        const amendments = [];
        for (let i = 0; i < orders.length; i++) {
            const order = orders[i] as Dict;
            const orderParams = this.ownParams ('editOrders', this.safeDict (order, 'params', {}));
            const clientOrderId = this.safeString (order, 'clientOrderId');
            const named: Dict = {};
            if (clientOrderId !== undefined) {
                named['clientOrderId'] = clientOrderId;
            }
            const amount = this.safeValue (order, 'amount');
            const price = this.safeValue (order, 'price');
            amendments.push (this.createAmendmentRequest ('editOrders', accountId, this.safeString (order, 'id'), this.safeString (order, 'symbol'), amount, price, this.extend (named, orderParams)));
        }
        await this.checkSides (orders, amendments);
        const request: Dict = {
            'amendments': amendments,
        };
        request['idempotencyKey'] = (idempotencyKey === undefined) ? this.uuid () : idempotencyKey;
        const response = await this.privatePostV1OrdersBatchAmend (this.extend (request, this.omit (params, 'idempotencyKey')));
        //
        //     {
        //         "version": "external-order-amendment-batch/v1",
        //         "outcomes": [
        //             { "index": 0, "accepted": true, "orderId": "8", ... }, // see editOrder
        //             { "index": 1, "accepted": false, "orderId": "9", "clientOrderId": null, "code": "order_not_open", "safeMessage": "..." }
        //         ]
        //     }
        //
        const outcomes = this.safeList (response, 'outcomes', []);
        const result = [];
        for (let i = 0; i < outcomes.length; i++) {
            result.push (this.parseAmendment (outcomes[i], this.safeString (amendments[i], 'clientOrderId')));
        }
        return result;
    }

    async checkSides (orders: any[], amendments: Dict[]) {
        // an amendment has no side: the open orders are read if one of the changes states it
        let statesSide = false;
        for (let i = 0; i < orders.length; i++) {
            if (this.safeString (orders[i], 'side') !== undefined) {
                statesSide = true;
            }
        }
        if (!statesSide) {
            return;
        }
        const openOrders = await this.fetchOpenOrders ();
        const byId = this.indexBy (openOrders, 'id');
        const byClientOrderId = this.indexBy (openOrders, 'clientOrderId');
        for (let i = 0; i < orders.length; i++) {
            const clientOrderId = this.safeString (amendments[i], 'clientOrderId');
            let order = undefined;
            if (clientOrderId === undefined) {
                order = this.safeDict (byId, this.safeString (amendments[i], 'orderId'));
            } else {
                order = this.safeDict (byClientOrderId, clientOrderId);
            }
            const side = this.safeString (orders[i], 'side');
            if ((order !== undefined) && (side !== undefined)) {
                this.checkSameSide ('editOrders', order, side);
            }
        }
    }

    checkSameSide (methodName: string, order: any, side: string) {
        const found = this.safeString (order, 'side');
        if (found !== side) {
            throw new InvalidOrder (this.id + ' ' + methodName + '() the order ' + this.safeString (order, 'id', '') + ' is a ' + found + ', not a ' + side + ': an amendment cannot change the side, cancel the order and create another');
        }
    }

    checkAmendment (methodName: string, type: Str, side: Str, amount: Num, price: Num) {
        if ((type !== undefined) && (type !== 'limit')) {
            throw new NotSupported (this.id + ' ' + methodName + '() supports limit orders only: cancel the order and create another');
        }
        if ((side !== undefined) && (side !== 'buy') && (side !== 'sell')) {
            throw new InvalidOrder (this.id + ' ' + methodName + '() requires the side of the order to be buy or sell, got ' + side + ': send it in lower case, or omit it');
        }
        if ((amount === undefined) && (price === undefined)) {
            throw new ArgumentsRequired (this.id + ' ' + methodName + '() requires an amount or a price argument');
        }
    }

    createAmendmentRequest (methodName: string, accountId: string, id: Str, symbol: string, amount: Num = undefined, price: Num = undefined, params: Dict = {}): Dict {
        const request: Dict = {
            'accountId': accountId,
            'marketId': this.marketId (symbol),
        };
        if (this.textParam (params, 'clientOrderId') === undefined) {
            request['orderId'] = this.checkedOrderId (methodName, id);
        }
        if (amount !== undefined) {
            request['quantity'] = this.checkAboveZero ('amount of an order', this.amountToPrecision (symbol, amount));
        }
        if (price !== undefined) {
            request['price'] = this.checkAboveZero ('price of an order', this.priceToPrecision (symbol, price));
        }
        return this.extend (request, this.omit (params, 'idempotencyKey'));
    }

    parseAmendment (amendment: Dict, clientOrderId: Str = undefined): Order {
        const fields: Dict = {
            'updatedAtEpochMs': this.safeInteger (amendment, 'amendedAtEpochMs'),
        };
        if (this.safeString (amendment, 'price') !== undefined) {
            fields['orderType'] = 'limit';
        }
        if (clientOrderId !== undefined) {
            fields['clientOrderId'] = clientOrderId;
        }
        const order = this.parseOrder (this.extend (amendment, fields));
        order['info'] = amendment;
        if (Precise.stringGt (this.safeString (amendment, 'filledQuantity', '0'), '0')) {
            order['cost'] = undefined; // the base class takes the price of the order for that of its fills
        }
        return order;
    }

    /**
     * @method
     * @name openperp#cancelOrder
     * @description cancels an open order
     * @see http://localhost:8080/docs#/Orders/cancelOrder
     * @see http://localhost:8080/docs#/Orders/cancelOrderByClientOrderId
     * @param {string} id order id
     * @param {string} [symbol] unified symbol of the market the order was made in
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @param {string} [params.clientOrderId] the client order id, instead of the id
     * @returns {object} An [order structure]{@link https://docs.ccxt.com/?id=order-structure}
     */
    async cancelOrder (id: string, symbol: Str = undefined, params: Dict = {}): Promise<Order> {
        const kindAndParams = this.handleWaitingAndParams (params);
        params = kindAndParams[1]; // an order that waits is read and cancelled like any other
        params = this.ownParams ('cancelOrder', params);
        const clientOrderId = this.textParam (params, 'clientOrderId');
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        const request: Dict = {};
        if (symbol !== undefined) {
            request['marketId'] = this.marketId (symbol); // an order of another market is not found
        }
        if (clientOrderId !== undefined) {
            const clientRequest: Dict = {
                'clientOrderId': this.pathOfClientOrderId (clientOrderId),
            };
            return await this.cancelOne ('privatePostV1OrdersByClientOrderIdClientOrderIdCancel', this.extend (request, params, clientRequest), id, { 'clientOrderId': clientOrderId });
        }
        request['orderId'] = this.checkedOrderId ('cancelOrder', id);
        return await this.cancelOne ('privatePostV1OrdersOrderIdCancel', this.extend (request, params), id);
    }

    async cancelOne (method: string, request: Dict, id: string, named: Dict = {}): Promise<Order> {
        let refusal = undefined;
        try {
            const response = await this[method] (request);
            return this.parseOrder (response);
        } catch (e) {
            refusal = e.toString ();
            if (!(e instanceof OrderNotFound) || (refusal.indexOf ('order_not_open') < 0)) {
                throw e;
            }
        }
        // says how the order ended, for programs that look at the text
        let order: Dict = {};
        try {
            order = await this.fetchOrder (id, undefined, named) as Dict;
        } catch (e) {
            throw new OrderNotFound (refusal.replace ('OrderNotFound: ', ''));
        }
        const ending = (order['status'] === 'closed') ? 'filled' : 'cancelled';
        throw new OrderNotFound (refusal.replace ('OrderNotFound: ', '') + ': the order ' + this.safeString (order, 'id') + ' is already ' + ending);
    }

    /**
     * @method
     * @name openperp#cancelOrders
     * @description cancels several open orders, each separately
     * @see http://localhost:8080/docs#/Orders/cancelOrders
     * @param {string[]} ids order ids, at most 24
     * @param {string} [symbol] unified symbol of the market the orders were made in
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @param {string[]} [params.clientOrderIds] client order ids, instead of the ids
     * @returns {object[]} a list of [order structures]{@link https://docs.ccxt.com/?id=order-structure}, one per id in the order of the request; info.accepted says whether it was cancelled
     */
    async cancelOrders (ids: string[], symbol: Str = undefined, params: Dict = {}): Promise<Order[]> {
        const kindAndParams = this.handleWaitingAndParams (params);
        params = kindAndParams[1]; // an order that waits is read and cancelled like any other
        params = this.ownParams ('cancelOrders', params);
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        const request: Dict = {};
        if (symbol !== undefined) {
            request['marketId'] = this.marketId (symbol);
        }
        if (this.safeList (params, 'clientOrderIds') === undefined) {
            if (this.safeValue (params, 'clientOrderIds') !== undefined) {
                throw new BadRequest (this.id + ' cancelOrders() requires params.clientOrderIds to be a list');
            }
            if (!Array.isArray (ids)) {
                throw new ArgumentsRequired (this.id + ' cancelOrders() requires a list of ids');
            }
            const orderIds = [];
            for (let i = 0; i < ids.length; i++) {
                orderIds.push (this.safeString (ids, i));
            }
            request['orderIds'] = orderIds;
        }
        const response = await this.privatePostV1OrdersBatchCancel (this.extend (request, params));
        const result = this.parseOutcomes (response);
        for (let i = 0; i < result.length; i++) {
            if ((symbol !== undefined) && (result[i]['symbol'] === undefined)) {
                const market = this.market (symbol);
                result[i]['symbol'] = market['symbol'];
            }
        }
        return result;
    }

    /**
     * @method
     * @name openperp#cancelAllOrders
     * @description cancels all open orders
     * @see http://localhost:8080/docs#/Orders/cancelAllOrders
     * @param {string} [symbol] unified symbol of a market, only its orders are cancelled if assigned
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @param {boolean} [params.trigger] true for orders that wait for a price only, false for the others only, both if not assigned; the orders are read first
     * @param {boolean} [params.trailing] true for trailing stops that wait only
     * @returns {object[]} a list of [order structures]{@link https://docs.ccxt.com/?id=order-structure} of the orders that were cancelled
     */
    async cancelAllOrders (symbol: Str = undefined, params: Dict = {}): Promise<Order[]> {
        let kind = undefined;
        const isOthersOnly = (this.safeBool2 (params, 'trigger', 'stop') === false);
        [ kind, params ] = this.handleWaitingAndParams (params);
        params = this.ownParams ('cancelAllOrders', params);
        if (isOthersOnly || (kind !== undefined)) {
            return await this.cancelSomeOrders (kind, symbol, params);
        }
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        const accountId = await this.loadAccountId ();
        const request: Dict = {
            'accountId': accountId,
        };
        if (symbol !== undefined) {
            request['marketId'] = this.marketId (symbol);
        }
        const response = await this.privatePostV1OrdersCancelAll (this.extend (request, params));
        //
        //     {
        //         "version": "external-order-cancel-all/v1",
        //         "accountId": "acct-1",
        //         "cancelled": [ { "orderId": "7", "clientOrderId": "my-order", "marketId": "BTC-USD-PERP" } ],
        //         "lastSequence": 1234
        //     }
        //
        const cancelled = this.safeList (response, 'cancelled', []);
        const result = [];
        for (let i = 0; i < cancelled.length; i++) {
            result.push (this.parseOrder (this.extend (cancelled[i], { 'status': 'cancelled' })));
        }
        return result;
    }

    async cancelSomeOrders (kind: Str, symbol: Str = undefined, params: Dict = {}): Promise<Order[]> {
        // of one kind, or without a kind those that do not wait for a price
        let orders = await this.fetchOpenOrders (symbol);
        if (kind === undefined) {
            orders = this.filterByWaiting (orders, false);
        } else {
            orders = this.filterByWaiting (this.filterWaitingOrders (orders, kind), true);
        }
        const length = orders.length;
        const result = [];
        let ids = [];
        for (let i = 0; i < length; i++) {
            ids.push (orders[i]['id']);
            const count = ids.length;
            if ((count === 24) || (i === length - 1)) {
                const outcomes = await this.cancelOrders (ids, symbol, params);
                for (let j = 0; j < outcomes.length; j++) {
                    if (this.safeBool (outcomes[j]['info'], 'accepted', false) === true) {
                        result.push (outcomes[j]); // the others ended before
                    }
                }
                ids = [];
            }
        }
        return result;
    }

    /**
     * @method
     * @name openperp#cancelAllOrdersAfter
     * @description cancels all open orders after a time, unless it is called again before; the timer is kept by the venue
     * @see http://localhost:8080/docs#/Orders/setCancelAllAfter
     * @param {int} timeout time in ms, from 1 second to 24 hours; 0 turns the timer off
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @param {string} [params.symbol] unified symbol of a market, only its orders, by a timer of their own
     * @returns {object} the timer as the venue has it: marketId, cancelsAtEpochMs, setAtEpochMs
     */
    async cancelAllOrdersAfter (timeout: Int, params: Dict = {}) {
        params = this.ownParams ('cancelAllOrdersAfter', params);
        const text = this.safeString ({ 'timeout': timeout }, 'timeout');
        if (text === undefined) {
            throw new ArgumentsRequired (this.id + ' cancelAllOrdersAfter() requires a timeout argument, in ms');
        }
        if (!this.isWithin (text, '0', '9') || (text.length > 10)) {
            throw new BadRequest (this.id + ' cancelAllOrdersAfter() requires a timeout in ms, from 1000 to 86400000, or 0 to turn it off, got ' + text);
        }
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        const accountId = await this.loadAccountId ();
        const request: Dict = {
            'accountId': accountId,
            'timeoutMs': this.parseToInt (text),
        };
        const symbol = this.textParam (params, 'symbol');
        if (symbol !== undefined) {
            request['marketId'] = this.marketId (symbol);
        }
        //
        //     {
        //         "version": "external-cancel-all-after/v1",
        //         "accountId": "acct-1",
        //         "marketId": null, // all markets
        //         "cancelsAtEpochMs": 1700000060037, // null if it is off
        //         "setAtEpochMs": 1700000000037,
        //         "lastSequence": 26
        //     }
        //
        return await this.privatePostV1OrdersCancelAllAfter (this.extend (request, this.omit (params, 'symbol')));
    }

    parseOutcomes (response: Dict): Order[] {
        //
        //     {
        //         "version": "external-limit-order-batch/v1",
        //         "outcomes": [
        //             { "index": 0, "accepted": true, "orderId": "7", ... }, // see parseOrder
        //             { "index": 1, "accepted": false, "status": "rejected", "clientOrderId": "my-order", "code": "insufficient_margin", "safeMessage": "..." }
        //         ]
        //     }
        //
        const outcomes = this.safeList (response, 'outcomes', []);
        const result = [];
        for (let i = 0; i < outcomes.length; i++) {
            const outcome = this.safeDict (outcomes, i, {});
            const order = this.parseOrder (this.safeDict (outcome, 'order', outcome)); // the outcome has the order if it was already closed
            order['info'] = outcome;
            result.push (order);
        }
        return result;
    }

    /**
     * @method
     * @name openperp#closePosition
     * @description closes the open position in a market by a reduce-only market order
     * @see http://localhost:8080/docs#/Orders/placeOrder
     * @param {string} symbol unified market symbol
     * @param {string} [side] 'long' or 'short', the side of the position; it is closed only if it has this side
     * @param {object} [params] extra parameters specific to the exchange API endpoint, see createOrder
     * @returns {object} an [order structure]{@link https://docs.ccxt.com/?id=order-structure}
     */
    async closePosition (symbol: string, side: OrderSide = undefined, params: Dict = {}): Promise<Order> {
        if ((side !== undefined) && (side !== 'long') && (side !== 'short')) {
            throw new NotSupported (this.id + ' closePosition() does not support the side ' + side + ': send long or short, or omit it');
        }
        const position = await this.fetchPosition (symbol);
        const openSide = this.safeString (position, 'side');
        if ((openSide === undefined) || ((side !== undefined) && (side !== openSide))) {
            const wanted = (side === undefined) ? '' : (side + ' ');
            throw new InvalidOrder (this.id + ' closePosition() there is no open ' + wanted + 'position in ' + symbol);
        }
        return await this.closeOpenPosition (position, params);
    }

    async closeOpenPosition (position: Position, params: Dict = {}): Promise<Order> {
        const symbol = this.safeString (position, 'symbol');
        const market = this.market (symbol);
        const contracts = this.safeString (position['info'], 'currentQuantity');
        const highest = this.numberToString (market['limits']['amount']['max']);
        if (Precise.stringGt (contracts, highest)) {
            throw new InvalidOrder (this.id + ' the position in ' + symbol + ' has ' + contracts + ' contracts, and an order at most ' + highest + ': close it by several reduce-only orders');
        }
        const isLong = (this.safeString (position, 'side') === 'long');
        const side = isLong ? 'sell' : 'buy';
        const request: Dict = {
            'reduceOnly': true,
        };
        return await this.createOrder (symbol, 'market', side, this.parseNumber (contracts), undefined, this.extend (params, request));
    }

    /**
     * @method
     * @name openperp#closeAllPositions
     * @description closes all open positions by reduce-only market orders, one after the other
     * @see http://localhost:8080/docs#/Orders/placeOrder
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object[]} a list of [position structures]{@link https://docs.ccxt.com/?id=position-structure} that are still open, for example because the book had too few orders; an order that is refused throws after the others were sent
     */
    async closeAllPositions (params: Dict = {}): Promise<Position[]> {
        params = this.ownParams ('closeAllPositions', params);
        const positions = await this.fetchPositions ();
        let failure = undefined;
        for (let i = 0; i < positions.length; i++) {
            try {
                await this.closeOpenPosition (positions[i], params);
            } catch (e) {
                failure = e;
            }
        }
        if (failure !== undefined) {
            throw failure;
        }
        return await this.fetchPositions ();
    }

    checkedOrderId (methodName: string, id: any): string {
        const orderId = this.safeString ({ 'id': id }, 'id');
        if (orderId === undefined) {
            throw new ArgumentsRequired (this.id + ' ' + methodName + '() requires an id argument');
        }
        if (!this.isWithin (orderId, '0', '9') || (orderId.length > 15)) {
            throw new OrderNotFound (this.id + ' ' + methodName + '() order ids consist of digits: there is no order with the id ' + orderId + this.notFoundText ());
        }
        return orderId;
    }

    notFoundText (): string {
        return ': order not found (order NotFound)'; // both spellings are matched by programs that look at the text
    }

    pathOfClientOrderId (clientOrderId: string): string {
        // these two are relative path segments in a url, encoded or not
        if ((clientOrderId === '.') || (clientOrderId === '..')) {
            throw new OrderNotFound (this.id + ' there is no order with the clientOrderId ' + clientOrderId + this.notFoundText ());
        }
        return this.encodeURIComponent (clientOrderId);
    }

    /**
     * @method
     * @name openperp#fetchOrder
     * @description fetches information on an order made by the user
     * @see http://localhost:8080/docs#/Orders/getOrder
     * @see http://localhost:8080/docs#/Orders/getOrderByClientOrderId
     * @param {string} id order id
     * @param {string} [symbol] unified symbol of the market the order was made in
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @param {string} [params.clientOrderId] the client order id, instead of the id
     * @returns {object} An [order structure]{@link https://docs.ccxt.com/?id=order-structure}
     */
    async fetchOrder (id: string, symbol: Str = undefined, params: Dict = {}): Promise<Order> {
        const kindAndParams = this.handleWaitingAndParams (params);
        params = kindAndParams[1]; // an order that waits is read and cancelled like any other
        params = this.ownParams ('fetchOrder', params);
        const clientOrderId = this.textParam (params, 'clientOrderId');
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        const market = (symbol === undefined) ? undefined : this.market (symbol);
        let response: Dict = {};
        if (clientOrderId !== undefined) {
            const clientRequest: Dict = {
                'clientOrderId': this.pathOfClientOrderId (clientOrderId),
            };
            response = await this.privateGetV1OrdersByClientOrderIdClientOrderId (this.extend (params, clientRequest));
        } else {
            const orderRequest: Dict = {
                'orderId': this.checkedOrderId ('fetchOrder', id),
            };
            response = await this.privateGetV1OrdersOrderId (this.extend (orderRequest, params));
        }
        if ((market !== undefined) && (market['id'] !== this.safeString (response, 'marketId'))) {
            throw new OrderNotFound (this.id + ' fetchOrder() the order is of another market than ' + market['symbol'] + this.notFoundText ());
        }
        return this.parseOrder (response);
    }

    /**
     * @method
     * @name openperp#fetchOrders
     * @description fetches information on multiple orders made by the user
     * @see http://localhost:8080/docs#/Accounts/listOrders
     * @param {string} [symbol] unified market symbol of the market orders were made in
     * @param {int} [since] the earliest time in ms to fetch orders for
     * @param {int} [limit] the maximum number of order structures to retrieve, at most 500
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @param {boolean} [params.paginate] true to fetch page after page from since on, see the [available parameters](https://github.com/ccxt/ccxt/wiki/Manual#pagination-params)
     * @param {boolean} [params.trigger] true for orders that wait or waited for a price only, in at most ten pages of 500 orders of all kinds
     * @param {boolean} [params.trailing] true for trailing stops only, in at most ten pages of 500 orders of all kinds
     * @returns {Order[]} a list of [order structures]{@link https://docs.ccxt.com/?id=order-structure}
     */
    async fetchOrders (symbol: Str = undefined, since: Int = undefined, limit: Int = undefined, params: Dict = {}): Promise<Order[]> {
        let kind = undefined;
        [ kind, params ] = this.handleWaitingAndParams (params);
        params = this.ownParams ('fetchOrders', params);
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        let paginate = false;
        [ paginate, params ] = this.handleOptionAndParams (params, 'fetchOrders', 'paginate', paginate);
        if (paginate) {
            const pageLimit = (kind === undefined) ? limit : undefined;
            const pages = await this.fetchAllPages ('fetchOrders', symbol, since, pageLimit, params);
            if (kind === undefined) {
                return pages;
            }
            return this.filterBySinceLimit (this.filterWaitingOrders (pages, kind), since, limit) as Order[];
        }
        if (kind !== undefined) {
            return await this.fetchTriggerOrders (kind, symbol, since, limit, params);
        }
        const request = await this.createListRequest (symbol, since, limit);
        const response = await this.privateGetV1AccountsAccountIdOrders (this.extend (request, params));
        return this.parseOrderList (response, symbol, since, limit);
    }

    async fetchTriggerOrders (kind: string, symbol: Str = undefined, since: Int = undefined, limit: Int = undefined, params: Dict = {}): Promise<Order[]> {
        // the venue lists all kinds together: page after page until enough are found, at most ten
        const wanted = (limit === undefined) ? 500 : limit;
        const listRequest = await this.createListRequest (symbol, since);
        let request = this.extend (listRequest, params);
        let result = [];
        for (let i = 0; i < 10; i++) {
            const response = await this.privateGetV1AccountsAccountIdOrders (request);
            const found = this.filterWaitingOrders (this.parseOrderList (response, symbol, since), kind);
            if (since === undefined) {
                result = this.arrayConcat (found, result); // the newest page is the first
            } else {
                result = this.arrayConcat (result, found);
            }
            const cursor = this.safeString (response, 'nextCursor');
            const length = result.length;
            if ((cursor === undefined) || (length >= wanted)) {
                break;
            }
            request = this.extend (request, { 'cursor': cursor });
        }
        return this.filterBySinceLimit (result, since, limit) as Order[];
    }

    /**
     * @method
     * @name openperp#fetchOpenOrders
     * @description fetch all unfilled currently open orders
     * @see http://localhost:8080/docs#/Accounts/listOpenOrders
     * @param {string} [symbol] unified market symbol
     * @param {int} [since] the earliest time in ms to fetch open orders for
     * @param {int} [limit] the maximum number of open orders structures to retrieve, at most 500; all of them, in as many requests as that takes, if not assigned
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @param {boolean} [params.paginate] true to fetch page after page from since on, see the [available parameters](https://github.com/ccxt/ccxt/wiki/Manual#pagination-params)
     * @param {boolean} [params.trigger] true for orders that wait for a price only, of all pages
     * @param {boolean} [params.trailing] true for trailing stops that wait only, of all pages
     * @returns {Order[]} a list of [order structures]{@link https://docs.ccxt.com/?id=order-structure}
     */
    async fetchOpenOrders (symbol: Str = undefined, since: Int = undefined, limit: Int = undefined, params: Dict = {}): Promise<Order[]> {
        let kind = undefined;
        [ kind, params ] = this.handleWaitingAndParams (params);
        params = this.ownParams ('fetchOpenOrders', params);
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        let paginate = false;
        [ paginate, params ] = this.handleOptionAndParams (params, 'fetchOpenOrders', 'paginate', paginate);
        if (paginate && (since !== undefined)) {
            const pageLimit = (kind === undefined) ? limit : undefined;
            const pages = await this.fetchAllPages ('fetchOpenOrders', symbol, since, pageLimit, params);
            if (kind === undefined) {
                return pages;
            }
            const waitingPages = this.filterByWaiting (this.filterWaitingOrders (pages, kind), true);
            return this.filterBySinceLimit (waitingPages, since, limit) as Order[];
        }
        if (kind !== undefined) {
            // the venue lists all kinds together: the limit is of those that remain
            const listRequest = await this.createListRequest (symbol, since);
            const list = await this.fetchList ('privateGetV1AccountsAccountIdOrdersOpen', 'orders', this.extend (listRequest, params), this.isOnePage (undefined, params));
            const waiting = this.filterByWaiting (this.filterWaitingOrders (this.parseOrderList (list, symbol, since), kind), true);
            return this.filterBySinceLimit (waiting, since, limit) as Order[];
        }
        const request = await this.createListRequest (symbol, since, limit);
        const response = await this.fetchList ('privateGetV1AccountsAccountIdOrdersOpen', 'orders', this.extend (request, params), this.isOnePage (limit, params));
        return this.parseOrderList (response, symbol, since, limit);
    }

    handleWaitingAndParams (params: Dict = {}): any[] {
        // params.trailing, or params.trigger and params.stop: the orders of that kind in a list that has all orders
        this.checkNoText (params, [ 'trigger', 'stop', 'trailing' ]);
        this.checkAliases (params, [ 'trigger', 'stop' ]);
        let isTrigger = false;
        [ isTrigger, params ] = this.handleTriggerAndParams (params);
        if (this.safeBool (params, 'trailing', false) === true) {
            if (this.safeBool2 (params, 'trigger', 'stop') === false) {
                throw new BadRequest (this.id + ' a trailing stop is a trigger order: omit params.trigger with params.trailing');
            }
            return [ 'trailing', this.omit (params, 'trailing') ];
        }
        const kind = (isTrigger === true) ? 'trigger' : undefined;
        return [ kind, params ];
    }

    checkNoText (params: Dict, names: string[]) {
        // a text would be ignored, and all orders listed or cancelled
        for (let i = 0; i < names.length; i++) {
            const value = this.safeValue (params, names[i]);
            const text = this.lowerTextOf (params, names[i]);
            if (this.inArray (text, [ 'true', 'false' ]) && (typeof value !== 'boolean')) {
                throw new BadRequest (this.id + ' params.' + names[i] + ' is a text: send the boolean ' + text);
            }
        }
    }

    checkAliases (params: Dict, names: string[]) {
        // names of one param: ignoring one of two values would change the request
        let chosen = undefined;
        let chosenName = '';
        for (let i = 0; i < names.length; i++) {
            const text = this.lowerTextOf (params, names[i]);
            if (text !== undefined) {
                if ((chosen !== undefined) && (chosen !== text)) {
                    throw new BadRequest (this.id + ' params.' + chosenName + ' and params.' + names[i] + ' are names of one param, and say ' + chosen + ' and ' + text + ': send one of them');
                }
                chosen = text;
                chosenName = names[i];
            }
        }
    }

    filterWaitingOrders (orders: Order[], kind: Str): Order[] {
        const result = [];
        for (let i = 0; i < orders.length; i++) {
            const trigger = this.safeDict (orders[i]['info'], 'trigger');
            const isTrailing = (this.safeString (trigger, 'type') === 'trailing_stop');
            if ((trigger !== undefined) && (isTrailing || (kind === 'trigger'))) {
                result.push (orders[i]);
            }
        }
        return result;
    }

    filterByWaiting (orders: Order[], waits: boolean): Order[] {
        // an open order that was triggered is in the book like any other
        const result = [];
        for (let i = 0; i < orders.length; i++) {
            const trigger = this.safeDict (orders[i]['info'], 'trigger');
            const isWaiting = this.inArray (this.safeString (trigger, 'status'), [ 'entry', 'waiting' ]);
            if (isWaiting === waits) {
                result.push (orders[i]);
            }
        }
        return result;
    }

    /**
     * @method
     * @name openperp#fetchClosedOrders
     * @description fetches information on multiple orders that were filled
     * @see http://localhost:8080/docs#/Accounts/listOrders
     * @param {string} [symbol] unified market symbol of the market orders were made in
     * @param {int} [since] the earliest time in ms to fetch orders for
     * @param {int} [limit] the maximum number of order structures to retrieve, at most 500
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @param {boolean} [params.trigger] true for orders that wait or waited for a price only, in at most ten pages of 500 orders of all kinds
     * @param {boolean} [params.trailing] true for trailing stops only, in at most ten pages of 500 orders of all kinds
     * @returns {Order[]} a list of [order structures]{@link https://docs.ccxt.com/?id=order-structure}
     */
    async fetchClosedOrders (symbol: Str = undefined, since: Int = undefined, limit: Int = undefined, params: Dict = {}): Promise<Order[]> {
        const request: Dict = {
            'status': 'filled',
        };
        return await this.fetchOrders (symbol, since, limit, this.extend (request, params));
    }

    /**
     * @method
     * @name openperp#fetchCanceledOrders
     * @description fetches information on multiple canceled orders made by the user
     * @see http://localhost:8080/docs#/Accounts/listOrders
     * @param {string} [symbol] unified market symbol of the market the orders were made in
     * @param {int} [since] the earliest time in ms to fetch orders for
     * @param {int} [limit] the maximum number of order structures to retrieve, at most 500
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @param {boolean} [params.trigger] true for orders that wait or waited for a price only, in at most ten pages of 500 orders of all kinds
     * @param {boolean} [params.trailing] true for trailing stops only, in at most ten pages of 500 orders of all kinds
     * @returns {Order[]} a list of [order structures]{@link https://docs.ccxt.com/?id=order-structure}
     */
    async fetchCanceledOrders (symbol: Str = undefined, since: Int = undefined, limit: Int = undefined, params: Dict = {}): Promise<Order[]> {
        const request: Dict = {
            'status': 'cancelled',
        };
        const orders = await this.fetchOrders (symbol, since, limit, this.extend (request, params));
        return this.filterByArray (orders, 'status', [ 'canceled', 'expired' ], false) as Order[]; // without orders that parseOrder reads as closed
    }

    /**
     * @method
     * @name openperp#fetchCanceledAndClosedOrders
     * @description fetches information on multiple orders that were filled or canceled, with one request for each status
     * @see http://localhost:8080/docs#/Accounts/listOrders
     * @param {string} [symbol] unified market symbol of the market orders were made in
     * @param {int} [since] the earliest time in ms to fetch orders for
     * @param {int} [limit] the maximum number of order structures to retrieve, at most 500
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @param {boolean} [params.trigger] true for orders that wait or waited for a price only, in at most ten pages of 500 orders of all kinds
     * @param {boolean} [params.trailing] true for trailing stops only, in at most ten pages of 500 orders of all kinds
     * @returns {Order[]} a list of [order structures]{@link https://docs.ccxt.com/?id=order-structure}
     */
    async fetchCanceledAndClosedOrders (symbol: Str = undefined, since: Int = undefined, limit: Int = undefined, params: Dict = {}): Promise<Order[]> {
        const canceledRequest: Dict = {
            'status': 'cancelled',
        };
        const canceled = await this.fetchOrders (symbol, since, limit, this.extend (canceledRequest, params));
        const closed = await this.fetchClosedOrders (symbol, since, limit, params);
        // ids are growing integers, which the base class would sort as text
        const both = this.arrayConcat (canceled, closed);
        let numbered = [];
        for (let i = 0; i < both.length; i++) {
            numbered.push ({ 'number': this.safeInteger (both[i], 'id'), 'order': both[i] });
        }
        numbered = this.sortBy (numbered, 'number');
        const orders = [];
        for (let i = 0; i < numbered.length; i++) {
            orders.push (numbered[i]['order']);
        }
        return this.filterBySinceLimit (orders, since, limit) as Order[];
    }

    async createListRequest (symbol: Str = undefined, since: Int = undefined, limit: Int = undefined): Promise<Dict> {
        const request = this.createPageRequest (since, limit);
        request['accountId'] = await this.loadAccountId ();
        if (symbol !== undefined) {
            request['marketId'] = this.marketId (symbol);
        }
        return request;
    }

    parseOrderList (response: Dict, symbol: Str = undefined, since: Int = undefined, limit: Int = undefined): Order[] {
        //
        //     {
        //         "version": "external-order-list/v1",
        //         "accountId": "acct-1",
        //         "orders": [], // see parseOrder
        //         "nextCursor": "...",
        //         "freshness": { "status": "fresh", "asOfEpochMs": 1763670000123 }
        //     }
        //
        const orders = this.pageOf (response, 'orders', since);
        const market = (symbol === undefined) ? undefined : this.market (symbol);
        return this.parseOrders (orders, market, since, limit);
    }

    parseOrder (order: Dict, market: Market = undefined): Order {
        //
        //     {
        //         "version": "external-order/v1",
        //         "orderId": "7",
        //         "accountId": "acct-1",
        //         "marketId": "BTC-USD-PERP",
        //         "status": "open", // open, filled, cancelled
        //         "lastSequence": 1234,
        //         "idempotencyKey": "my-order",
        //         "cancelReason": "no_liquidity",
        //         "origin": "liquidation", // liquidation, auto_deleveraging, absent on a client's order
        //         "clientOrderId": "my-order", // absent on an order that the venue placed
        //         "side": "buy",
        //         "orderType": "limit", // limit, market
        //         "price": "100000.5", // absent on a market order
        //         "quantity": "0.012", // absent on an order by notional
        //         "notional": "1000", // on an order by notional only
        //         "filledQuantity": "0.002",
        //         "remainingQuantity": "0.01", // 0 on an order by notional
        //         "averagePrice": "100000.5", // absent before the first fill
        //         "filledNotional": "200.001",
        //         "feePaid": "0.1",
        //         "postOnly": false,
        //         "timeInForce": "GTC", // GTC, IOC, FOK, PO, GTD
        //         "expiresAtEpochMs": 1763673600000, // of a GTD order only
        //         "reduceOnly": false,
        //         "leverageX": 10,
        //         "createdAtEpochMs": 1763670000000,
        //         "updatedAtEpochMs": 1763670000100,
        //         "lastFillAtEpochMs": 1763670000100,
        //         "trigger": { // of an order that waits or waited for a price only
        //             "type": "stop_loss", // stop_loss, take_profit, trailing_stop, trigger
        //             "source": "mark", // mark, index, last
        //             "direction": "below", // below, above
        //             "price": "95000", // of a trailing stop the one of its placement, or at which it was triggered
        //             "status": "waiting", // entry, waiting, triggered, ended
        //             ...
        //         },
        //         "attachedOrderIds": [ "8", "9" ] // its stop-loss and take-profit, which are orders of their own
        //     }
        //
        const marketId = this.safeString (order, 'marketId');
        market = this.safeMarket (marketId, market);
        const timestamp = this.safeInteger (order, 'createdAtEpochMs');
        const type = this.safeString (order, 'orderType');
        const trigger = this.safeDict (order, 'trigger', {});
        let triggerPrice = this.safeString (trigger, 'price');
        const kind = this.safeString (trigger, 'type');
        if ((kind === 'trailing_stop') && (this.safeString (trigger, 'status') !== 'triggered')) {
            triggerPrice = undefined; // it has moved since, and the order does not have it
        }
        const stopLossPrice = (kind === 'stop_loss') ? triggerPrice : undefined;
        const takeProfitPrice = (kind === 'take_profit') ? triggerPrice : undefined;
        let status = this.parseOrderStatus (this.safeString (order, 'status'));
        if ((status === 'canceled') && (type === 'market') && (this.safeString (order, 'cancelReason') === 'reduce_only') && Precise.stringGt (this.safeString (order, 'filledQuantity'), '0')) {
            status = 'closed'; // it closed the position, which was smaller: nothing is left to do
        }
        if ((status === 'canceled') && (this.safeString (order, 'cancelReason') === 'expired')) {
            status = 'expired';
        }
        const amount = this.safeString (order, 'quantity');
        let remaining = this.safeString (order, 'remainingQuantity');
        if ((kind !== undefined) && (amount === undefined)) {
            remaining = undefined; // known when it is triggered or its entry order fills
        }
        const feeCost = this.safeNumber (order, 'feePaid');
        let fee = undefined;
        const fees = [];
        if (feeCost !== undefined) {
            fee = { 'cost': feeCost, 'currency': market['settle'] };
            fees.push ({ 'cost': feeCost, 'currency': market['settle'] });
        }
        return this.safeOrder ({
            'id': this.safeString (order, 'orderId'),
            'clientOrderId': this.safeString (order, 'clientOrderId'),
            'timestamp': timestamp,
            'datetime': this.iso8601 (timestamp),
            'lastTradeTimestamp': this.safeInteger (order, 'lastFillAtEpochMs'),
            'lastUpdateTimestamp': this.safeInteger (order, 'updatedAtEpochMs'),
            'status': status,
            'symbol': market['symbol'],
            'type': type,
            'timeInForce': this.safeString (order, 'timeInForce'),
            'postOnly': this.safeValue (order, 'postOnly'),
            'reduceOnly': this.safeValue (order, 'reduceOnly'),
            'side': this.safeString (order, 'side'),
            'price': this.safeString (order, 'price'),
            'triggerPrice': triggerPrice,
            'stopLossPrice': stopLossPrice,
            'takeProfitPrice': takeProfitPrice,
            'amount': amount,
            'cost': this.safeString (order, 'filledNotional'),
            'average': this.safeString (order, 'averagePrice'),
            'filled': this.safeString (order, 'filledQuantity'),
            'remaining': remaining,
            'fee': fee,
            'fees': fees,
            'info': order,
        }, market);
    }

    parseOrderStatus (status: Str): Str {
        const statuses: Dict = {
            'open': 'open',
            'filled': 'closed',
            'cancelled': 'canceled',
            'rejected': 'rejected',
        };
        return this.safeString (statuses, status, status);
    }

    /**
     * @method
     * @name openperp#fetchMyTrades
     * @description fetch all trades made by the user
     * @see http://localhost:8080/docs#/Accounts/listFills
     * @param {string} [symbol] unified market symbol
     * @param {int} [since] the earliest time in ms to fetch trades for
     * @param {int} [limit] the maximum number of trades structures to retrieve, at most 500
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @param {boolean} [params.paginate] true to fetch page after page from since on, see the [available parameters](https://github.com/ccxt/ccxt/wiki/Manual#pagination-params)
     * @returns {Trade[]} a list of [trade structures]{@link https://docs.ccxt.com/?id=trade-structure}
     */
    async fetchMyTrades (symbol: Str = undefined, since: Int = undefined, limit: Int = undefined, params: Dict = {}): Promise<Trade[]> {
        params = this.ownParams ('fetchMyTrades', params);
        if (this.markets === undefined) {
            await this.loadMarkets ();
        }
        let paginate = false;
        [ paginate, params ] = this.handleOptionAndParams (params, 'fetchMyTrades', 'paginate', paginate);
        if (paginate) {
            return await this.fetchAllPages ('fetchMyTrades', symbol, since, limit, params) as Trade[];
        }
        const request = await this.createListRequest (symbol, since, limit);
        const isOfOneOrder = ('orderId' in params) || ('clientOrderId' in params);
        const isOnePage = !isOfOneOrder || this.isOnePage (limit, params);
        const response = await this.fetchList ('privateGetV1AccountsAccountIdFills', 'fills', this.extend (request, params), isOnePage);
        //
        //     {
        //         "version": "external-fill-list/v1",
        //         "accountId": "acct-1",
        //         "fills": [], // see parseTrade
        //         "nextCursor": "...",
        //         "freshness": { "status": "fresh", "asOfEpochMs": 1763670000123 }
        //     }
        //
        const market = (symbol === undefined) ? undefined : this.market (symbol);
        return this.parseTrades (this.pageOf (response, 'fills', since), market, since, limit);
    }

    /**
     * @method
     * @name openperp#fetchOrderTrades
     * @description fetch all the trades made from a single order
     * @see http://localhost:8080/docs#/Accounts/listFills
     * @param {string} id order id
     * @param {string} [symbol] unified market symbol
     * @param {int} [since] the earliest time in ms to fetch trades for
     * @param {int} [limit] the maximum number of trades to retrieve, at most 500; all of them, in as many requests as that takes, if not assigned
     * @param {object} [params] extra parameters specific to the exchange API endpoint
     * @returns {object[]} a list of [trade structures]{@link https://docs.ccxt.com/?id=trade-structure}
     */
    async fetchOrderTrades (id: string, symbol: Str = undefined, since: Int = undefined, limit: Int = undefined, params: Dict = {}): Promise<Trade[]> {
        const request: Dict = {
            'orderId': this.checkedOrderId ('fetchOrderTrades', id),
        };
        return await this.fetchMyTrades (symbol, since, limit, this.extend (request, params));
    }

    venueUrl (): string {
        let url = this.implodeHostname (this.urls['api']['rest']);
        while (url.endsWith ('/')) {
            url = url.slice (0, -1);
        }
        if ((url.indexOf ('http://') !== 0) && (url.indexOf ('https://') !== 0)) {
            throw new BadRequest (this.id + ' ' + url + ' is not a url: set urls.api.rest to one that starts with http:// or https://');
        }
        return url;
    }

    sign (path: any, api: any = 'public', method = 'GET', params: Dict = {}, headers: any = undefined, body: any = undefined): Dict {
        let url = this.venueUrl () + '/' + this.implodeParams (path, params);
        let query = this.omit (params, this.extractParams (path));
        headers = {};
        if (api === 'private') {
            this.checkRequiredCredentials ();
            if (!this.isWithin (this.apiKey, '!', '~')) {
                throw new AuthenticationError (this.id + ' apiKey has an invalid character: check for spaces and line breaks');
            }
            headers['Authorization'] = 'Bearer ' + this.apiKey;
        }
        if (method === 'GET') {
            const keys = Object.keys (query);
            const length = keys.length;
            if (length > 0) {
                url += '?' + this.urlencode (query);
            }
        } else {
            const idempotencyKey = this.textParam (query, 'idempotencyKey');
            if (idempotencyKey !== undefined) {
                if (!this.isWithin (idempotencyKey, '!', '~')) {
                    throw new BadRequest (this.id + ' params.idempotencyKey must consist of visible ASCII characters');
                }
                headers['Idempotency-Key'] = idempotencyKey;
                query = this.omit (query, 'idempotencyKey');
            }
            const bodyKeys = Object.keys (query);
            const bodyLength = bodyKeys.length;
            if (bodyLength > 0) {
                headers['Content-Type'] = 'application/json';
                body = this.json (query);
            }
        }
        return { 'url': url, 'method': method, 'body': body, 'headers': headers };
    }

    async fetch (url: any, method = 'GET', headers: any = undefined, body: any = undefined): Promise<any> {
        let response = undefined;
        try {
            response = await super.fetch (url, method, headers, body);
        } catch (e) {
            if (e instanceof BaseError) {
                throw e;
            }
            // ccxt reads the body of a response outside of its network error handling: the request may have been carried out
            const reason = e.toString ();
            throw new NetworkError (this.id + ' ' + method + ' ' + url + ' ' + reason + this.adviceOf (reason));
        }
        this.checkResponse (url, method, response);
        return response;
    }

    adviceOf (reason: string): string {
        // a venue on another machine without a certificate
        const isAskedByName = this.urls['api']['rest'].indexOf ('{scheme}') === 0;
        if (isAskedByName && (reason.indexOf ('SSL') >= 0)) {
            return ': a hostname of another machine uses https, set urls.api.rest to the http url of a venue without a certificate';
        }
        return '';
    }

    checkResponse (url: string, method: string, response: any) {
        const venueUrl = this.venueUrl ();
        if ((url.indexOf (venueUrl + '/') !== 0) || (method === 'DELETE')) {
            return; // a request of the program's own, or no response to check
        }
        const addressLength = venueUrl.length;
        const path = url.slice (addressLength);
        // every other response has its version
        const marks: Dict = {
            '/health': 'serverTimeEpochMs',
            '/ready': 'journalSequence',
            '/asyncapi.json': 'asyncapi',
            '/v1/realtime/ticket': 'ticket',
        };
        const parts = path.split ('?');
        const mark = this.safeString (marks, parts[0], 'version');
        const found = this.safeString (response, mark, '');
        // such as external-order/v1
        if ((found === '') || ((mark === 'version') && (found.indexOf ('/v') < 0))) {
            const parsedResponse = this.json (response);
            throw new ExchangeNotAvailable (this.id + ' ' + method + ' ' + url + ' was not answered by an OpenPerp venue: ' + parsedResponse.slice (0, 500));
        }
    }

    handleErrors (code: int, reason: string, url: string, method: string, headers: Dict, body: string, response: any, requestHeaders: any, requestBody: any): any {
        //
        //     {
        //         "version": "external-rest-error/v1",
        //         "requestId": "...",
        //         "code": "insufficient_margin",
        //         "safeMessage": "The account has less available than the order needs.",
        //         "retryable": false,
        //         "recoveryActions": [ "read_account" ],
        //         "occurredAtEpochMs": 1763670000123
        //     }
        //
        const version = this.safeString (response, 'version');
        if (version === 'external-rest-error/v1') {
            const errorCode = this.safeString (response, 'code');
            let feedback = this.id + ' ' + body;
            if (errorCode === 'order_not_found') {
                feedback += this.notFoundText ();
            }
            if (errorCode === 'passkey_required') {
                feedback += ': an api key cannot do this, the owner of the account does it with a passkey on the page /app of the venue';
            }
            this.throwExactlyMatchedException (this.exceptions['exact'], errorCode, feedback);
            if (code >= 500) {
                throw new ExchangeNotAvailable (feedback); // a code of a later version: the request may have been carried out
            }
            throw new ExchangeError (feedback);
        }
        //
        //     {
        //         "status": "not_ready",
        //         "reasons": [ "venue_halted" ],
        //         "journalSequence": 1234
        //     }
        //
        if ((method === 'GET') && (this.safeString (response, 'status') === 'not_ready')) {
            return true; // http status 503 is a valid response here, see fetchStatus
        }
        if (code >= 400) {
            const responded = this.id + ' ' + method + ' ' + url + ' was not answered by an OpenPerp venue: ' + this.numberToString (code) + ' ' + reason + ' ' + body.slice (0, 500);
            this.throwExactlyMatchedException (this.httpExceptions, this.numberToString (code), responded);
            throw new ExchangeNotAvailable (responded);
        }
        return undefined; // see checkAnswer
    }
}
