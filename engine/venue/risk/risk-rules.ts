/**
 * The rules that keep accounts from taking others' money by trading with each other. A venue has all of them. A scenario turns one off to
 * show what it prevents.
 */
export interface RiskRules {
  /** The impact of a book is found over price levels, so that many small orders neither hide the orders behind them nor end the walk. */
  readonly walksLevels: boolean;
  /** An account's reduce-only orders in a market never offer more together than its position. */
  readonly cutsReduceOnly: boolean;
  /**
   * Each liquidation fill pays the liquidation fee, and the last one of an order releases what a healthy rest does not need. Otherwise
   * the fill that ends the position pays the whole fee.
   */
  readonly chargesFeeByFill: boolean;
  /** A liquidation fills no further than the mark or the bankruptcy price, and the fund pays a bounded amount per market and day. */
  readonly boundsFund: boolean;
  /** The initial margin rises with the open interest of the market. */
  readonly scalesMargin: boolean;
  /** A market pays from its own part of the fund first, and draws no more than a share of the common part. */
  readonly partsFund: boolean;
  /** What a close brings above the bankruptcy price first repays what the insurance fund has paid for the position. */
  readonly clawsBack: boolean;
  /**
   * A position that the book does not take is deleveraged at the mark once it has less than half of its maintenance requirement.
   * Otherwise it waits until a price tries it again after its bankruptcy.
   */
  readonly deleveragesEarly: boolean;
  /**
   * A liquidation fills near its price first, and down to the bankruptcy price once nearly half of the requirement is lost. Otherwise it
   * fills that far from the start.
   */
  readonly stepsLimit: boolean;
  /** The mark follows averages of book and trades over time. Otherwise it follows both as they are at the moment of a price. */
  readonly averagesMark: boolean;
  /** A sample of the premium is limited to the band of the mark. */
  readonly boundsPremium: boolean;
  /** A position is liquidated only when mark and index have both reached its liquidation price. Otherwise the mark suffices. */
  readonly confirmsByIndex: boolean;
  /**
   * What an order opens behind the mark has its initial margin there: the account's available cash tops a resting order up, or it is
   * cancelled. Otherwise a resting order needs its maintenance margin only.
   */
  readonly needsInitialMargin: boolean;
  /** The leverage of orders of an account that has chosen none in the market. With 0 they use the highest one that their exposure permits. */
  readonly defaultLeverageHundredths: number;
}

/** As on the large venues: enough room for a move of a day, and far from the highest leverage. */
export const DEFAULT_LEVERAGE_HUNDREDTHS = 1_000;

export const RISK_RULES: RiskRules = {
  walksLevels: true,
  cutsReduceOnly: true,
  chargesFeeByFill: true,
  boundsFund: true,
  scalesMargin: true,
  partsFund: true,
  clawsBack: true,
  averagesMark: true,
  boundsPremium: true,
  confirmsByIndex: true,
  deleveragesEarly: true,
  stepsLimit: true,
  needsInitialMargin: true,
  defaultLeverageHundredths: DEFAULT_LEVERAGE_HUNDREDTHS,
};
