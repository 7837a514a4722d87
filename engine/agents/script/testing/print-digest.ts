/** Prints the digest of the classic strategies' actions: a test runs it in another locale and timezone. */
import { digestOfClassics } from '#agents/script/testing/digest.ts';

process.stdout.write(digestOfClassics());
