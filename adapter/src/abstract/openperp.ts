// -------------------------------------------------------------------------------

import { Dict } from '../base/types.js';
import { Exchange as _Exchange } from '../base/Exchange.js';

interface Exchange {
    publicGetHealth (params?: {}): Promise<Dict>;
    publicGetReady (params?: {}): Promise<Dict>;
    publicGetAsyncapiJson (params?: {}): Promise<Dict>;
    publicPutV1RealtimeTicket (params?: {}): Promise<Dict>;
    publicDeleteV1RealtimeTicket (params?: {}): Promise<Dict>;
    publicGetV1Markets (params?: {}): Promise<Dict>;
    publicGetV1MarketsMarketId (params?: {}): Promise<Dict>;
    publicGetV1MarketsMarketIdStats (params?: {}): Promise<Dict>;
    publicGetV1MarketsMarketIdBook (params?: {}): Promise<Dict>;
    publicGetV1MarketsMarketIdCandles (params?: {}): Promise<Dict>;
    publicGetV1MarketsMarketIdOpenInterest (params?: {}): Promise<Dict>;
    publicGetV1MarketsMarketIdTrades (params?: {}): Promise<Dict>;
    publicGetV1MarketsMarketIdFunding (params?: {}): Promise<Dict>;
    publicGetV1MarketDataStats (params?: {}): Promise<Dict>;
    privateGetV1ApiKeysCurrent (params?: {}): Promise<Dict>;
    privateGetV1OrdersOrderId (params?: {}): Promise<Dict>;
    privateGetV1OrdersByClientOrderIdClientOrderId (params?: {}): Promise<Dict>;
    privateGetV1AccountsAccountId (params?: {}): Promise<Dict>;
    privateGetV1AccountsAccountIdPositions (params?: {}): Promise<Dict>;
    privateGetV1AccountsAccountIdPositionsHistory (params?: {}): Promise<Dict>;
    privateGetV1AccountsAccountIdLeverage (params?: {}): Promise<Dict>;
    privateGetV1AccountsAccountIdOrders (params?: {}): Promise<Dict>;
    privateGetV1AccountsAccountIdOrdersOpen (params?: {}): Promise<Dict>;
    privateGetV1AccountsAccountIdFills (params?: {}): Promise<Dict>;
    privateGetV1AccountsAccountIdFunding (params?: {}): Promise<Dict>;
    privateGetV1AccountsAccountIdLedger (params?: {}): Promise<Dict>;
    privateGetV1AccountsAccountIdTransfers (params?: {}): Promise<Dict>;
    privateGetV1AccountsAccountIdParty (params?: {}): Promise<Dict>;
    privatePostV1AccountsAccountIdPositionsMarketIdMargin (params?: {}): Promise<Dict>;
    privatePostV1Orders (params?: {}): Promise<Dict>;
    privatePostV1OrdersAmend (params?: {}): Promise<Dict>;
    privatePostV1OrdersBatch (params?: {}): Promise<Dict>;
    privatePostV1OrdersBatchAmend (params?: {}): Promise<Dict>;
    privatePostV1OrdersBatchCancel (params?: {}): Promise<Dict>;
    privatePostV1OrdersByClientOrderIdClientOrderIdCancel (params?: {}): Promise<Dict>;
    privatePostV1OrdersCancelAll (params?: {}): Promise<Dict>;
    privatePostV1OrdersCancelAllAfter (params?: {}): Promise<Dict>;
    privatePostV1OrdersPreview (params?: {}): Promise<Dict>;
    privatePostV1OrdersOrderIdCancel (params?: {}): Promise<Dict>;
    privatePostV1RealtimeTicket (params?: {}): Promise<Dict>;
    privatePostV1Withdrawals (params?: {}): Promise<Dict>;
    privatePutV1AccountsAccountIdLeverageMarketId (params?: {}): Promise<Dict>;
}

class Exchange extends _Exchange {}

export default Exchange;
