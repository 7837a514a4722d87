/** The address of a provider's own page. */
import type { SocialSignIn } from '../venue/resources.ts';

/** Throws unless it is a web address: the browser goes there. */
export function redirectTarget({ authorizationUrl }: SocialSignIn): string {
  const target = URL.parse(authorizationUrl ?? '');
  if (target?.protocol !== 'https:' && target?.protocol !== 'http:') throw new Error('the provider has no web address');
  return target.href;
}
