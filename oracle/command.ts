/** The commands that the oracle follows, as plain data with the field names of the journal. All amounts are whole numbers. */

export type Side = 'buy' | 'sell';
export type MarketStatus = 'draft' | 'open' | 'cancel_only' | 'closed' | 'reduce_only';

export interface Specification {
  readonly marketId: string;
  readonly underlyingSymbol: string;
  readonly priceScale: number;
  readonly quantityScale: number;
  readonly minPriceAtoms: number;
  readonly maxPriceAtoms: number;
  readonly minQuantityAtoms: number;
  readonly maxQuantityAtoms: number;
  readonly initialMarginBps: number;
  readonly maxLeverageX: number;
  readonly maintenanceMarginTiers: readonly { readonly notionalThresholdAtoms: number; readonly maintenanceMarginBps: number }[];
  readonly makerFeeBps: number;
  readonly takerFeeBps: number;
  readonly priceBandBps: number;
  readonly markBandBps: number;
  readonly liquidationFeeBps: number;
  readonly autoDeleveraging: boolean;
  readonly maxIndexAgeMs: number;
  readonly maxIndexJumpBps: number;
  readonly indexConfirmations: number;
  readonly fundingPeriodMs: number;
  readonly fundingInterestPpb: number;
  readonly fundingCapPpb: number;
  readonly premiumSampleMs: number;
  readonly impactNotionalAtoms: number;
  /** Between these notionals of all long positions the initial margin rises to the whole notional. */
  readonly openInterest?: { readonly lowerAtoms: number; readonly upperAtoms: number };
}

/** How long a limit order waits for fills; until it is cancelled if absent. */
export interface InForce {
  readonly timeInForce?: 'IOC' | 'FOK' | 'GTD';
  readonly expiresAtEpochMs?: number;
}

export type Terms = InForce &
  (
    | { readonly kind: 'limit'; readonly priceAtoms: number; readonly quantityAtoms: number; readonly postOnly: boolean }
    | { readonly kind: 'market' | 'band_limit'; readonly quantityAtoms: number }
    | { readonly kind: 'market_notional' | 'band_notional'; readonly notionalAtoms: number }
  );

export type TriggerKind = 'stop_loss' | 'take_profit' | 'trigger' | 'trailing_stop';
export type TriggerSource = 'mark' | 'index' | 'last';
export type TriggerDirection = 'below' | 'above';

/** The price that an order waits for. */
export interface TriggerTerms {
  readonly kind: TriggerKind;
  readonly source: TriggerSource;
  readonly direction: TriggerDirection | 'derived';
  /** 0 for a trailing stop, which has one of two distances instead. */
  readonly priceAtoms: number;
  readonly trailingAtoms: number;
  readonly trailingBps: number;
  readonly closePosition: boolean;
  /** Empty without a linked order. */
  readonly linkedClientOrderId: string;
}

/** A stop-loss or take-profit of an entry order. Its `priceAtoms` are 0 if it becomes a market order. */
export interface LegTerms {
  readonly source: TriggerSource;
  readonly triggerPriceAtoms: number;
  readonly priceAtoms: number;
}

/** What one order says, alone or in a batch. */
export interface OrderRequest {
  readonly market: number;
  readonly clientOrderId: string;
  readonly side: Side;
  readonly terms: Terms;
  readonly reduceOnly: boolean;
  readonly leverageHundredths: number;
  readonly trigger?: TriggerTerms;
  readonly attached?: { readonly stopLoss?: LegTerms; readonly takeProfit?: LegTerms };
}

export interface PlaceOrder extends OrderRequest {
  readonly type: 'PlaceOrder';
  readonly account: number;
  readonly idempotencyKey: string;
}

/** 0 keeps the price, or the quantity. */
export interface Amendment {
  readonly market: number;
  readonly order: number;
  readonly priceAtoms: number;
  readonly quantityAtoms: number;
}

export type Command =
  | { readonly type: 'ListMarket'; readonly specification: Specification; readonly status: MarketStatus }
  | { readonly type: 'UpdateMarket'; readonly market: number; readonly specification: Specification }
  | { readonly type: 'SetMarketStatus'; readonly market: number; readonly status: MarketStatus }
  | {
      readonly type: 'PublishIndexPrice';
      readonly market: number;
      readonly priceAtoms: number;
      readonly observedAtEpochMs: number;
    }
  | { readonly type: 'AdvanceMarket'; readonly market: number }
  | { readonly type: 'OpenAccount'; readonly label: string; readonly partyId: string; readonly digestSeed: number }
  | { readonly type: 'CreditCash'; readonly account: number; readonly amountAtoms: number; readonly reference: string }
  | { readonly type: 'CreditInsurance'; readonly amountAtoms: number; readonly reference: string }
  | {
      readonly type: 'TransferCash';
      readonly account: number;
      readonly to: number;
      readonly amountAtoms: number;
      readonly reference: string;
    }
  | { readonly type: 'DebitCash'; readonly account: number; readonly amountAtoms: number; readonly reference: string }
  | { readonly type: 'ReserveWithdrawal'; readonly account: number; readonly amountAtoms: number; readonly destination: string }
  | { readonly type: 'ReleaseWithdrawal'; readonly withdrawal: number }
  | { readonly type: 'SettleWithdrawal'; readonly withdrawal: number }
  | PlaceOrder
  | {
      readonly type: 'PlaceOrders';
      readonly account: number;
      readonly entries: readonly OrderRequest[];
      readonly idempotencyKey: string;
    }
  | ({ readonly type: 'AmendOrder'; readonly account: number } & Amendment)
  | { readonly type: 'AmendOrders'; readonly account: number; readonly entries: readonly Amendment[] }
  | { readonly type: 'EndDueOrders' }
  | { readonly type: 'SetCancelAllAfter'; readonly account: number; readonly market: number; readonly timeoutMs: number }
  | { readonly type: 'SetLeverage'; readonly account: number; readonly market: number; readonly leverageHundredths: number }
  | {
      readonly type: 'AdjustPositionMargin';
      readonly account: number;
      readonly market: number;
      readonly direction: 'add' | 'remove';
      readonly amountAtoms: number;
    }
  | { readonly type: 'CancelOrder'; readonly account: number; readonly order: number }
  | { readonly type: 'CancelOrders'; readonly account: number; readonly orders: readonly number[] };

export interface SequencedCommand {
  readonly sequence: number;
  readonly epochMs: number;
  readonly command: Command;
}
