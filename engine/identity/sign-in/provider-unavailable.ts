/** A sign-in provider did not answer, or not as OpenID Connect prescribes. Nothing was carried out. */
export class ProviderUnavailable extends Error {
  override readonly name = 'ProviderUnavailable';
  readonly provider: string;

  constructor(provider: string, options?: ErrorOptions) {
    super(`the sign-in provider ${provider} is unavailable`, options);
    this.provider = provider;
  }
}
