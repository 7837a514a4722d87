"""
Runs the Python tests of a checkout of ccxt, with the class among its exchanges, as `child.ts` runs those in JavaScript: what the
runner lets pass is judged here. The order is in OPENPERP_MODERN_SUITE; what was found is written to its `answerPath`.
"""
import asyncio
import importlib
import inspect
import json
import os
import re
import signal
import sys

order = json.loads(os.environ['OPENPERP_MODERN_SUITE'])
part, symbol, lacks = order['part'], order['symbol'], order['lacks']
is_sync, is_funded, is_ws = part.startswith('pythonSync'), part.endswith('Funded'), part == 'pythonSockets'
FLAGS = ['--privateOnly' if is_funded else '--private'] + ['--sync'] * is_sync + ['--ws'] * is_ws
# A runner that ends without these has left out a phase, whatever it says.
REST = ['fetchTicker', 'fetchBalance']
CORE = ['createOrder'] if is_funded else ['watchTicker', 'watchBalance'] if is_ws else REST
OF_NO_METHOD = ['features', 'loadMarkets']
# Of another part; and one that changes the settings of the exchange for all others.
LEFT_OUT = ['createOrder', 'proxies']

answer = {'hasEnded': False, 'problems': {}, 'skipped': {}, 'shimmed': {}}
problems = answer['problems']


def write_answer():
    with open(order['answerPath'], 'w', encoding='utf-8') as file:
        json.dump(answer, file)


def stop(*_):
    write_answer()
    os._exit(1)


signal.signal(signal.SIGTERM, stop)
sys.argv[1:] = ['openperp', symbol, *FLAGS]
python = os.path.join(order['tree'], 'python')
sys.path[:0] = [os.path.join(python, 'ccxt', 'test'), python]
helpers = importlib.import_module('tests_helpers')
helpers.argv.fundedTests = is_funded


def describe(error):
    return f'{type(error).__name__}: {" ".join(str(error).split())[:400]}'


def emptiness(method, result):
    """Why an answer is no evidence, as in emptiness.ts."""
    if result is None:
        return f'{method} returned nothing'
    if isinstance(result, list):
        return f'{method} returned an empty list' if not result else None
    if not isinstance(result, dict):
        return None
    if method.endswith('OrderBook'):
        return None if result.get('bids') and result.get('asks') else f'{method} returned a book without both sides'
    if method == 'fetchBalance':
        has_money = any((amount or 0) > 0 for amount in result.get('total', {}).values())
        return None if has_money else f'{method} returned no money'
    return f'{method} returned an empty dictionary' if not result else None


class Watched:
    """An exchange whose calls of one method are recorded, so that a test which swallows errors can be judged."""

    def __init__(self, exchange, method):
        self.__dict__.update(exchange=exchange, method=method, calls=[])

    def __getattr__(self, name):
        value = getattr(self.exchange, name)
        if name not in (self.method, helpers.convert_to_snake_case(self.method)) or not callable(value):
            return value
        return self.recorded(value) if is_sync else self.recorded_later(value)

    def __setattr__(self, name, value):
        setattr(self.exchange, name, value)

    def recorded(self, value):
        def call(*args, **kwargs):
            try:
                result = value(*args, **kwargs)
            except Exception as error:
                self.calls.append(describe(error))
                raise
            self.calls.append(emptiness(self.method, result))
            return result
        return call

    def recorded_later(self, value):
        async def call(*args, **kwargs):
            try:
                result = await value(*args, **kwargs)
            except Exception as error:
                self.calls.append(describe(error))
                raise
            self.calls.append(emptiness(self.method, result))
            return result
        return call

    def problems(self):
        if not self.calls:
            return [f'the test never called {self.method}']
        return [problem for problem in self.calls if problem is not None]


def init_exchange(exchange_id, args, is_ws=False):
    library = helpers.ccxt_sync if is_sync else helpers.ccxtpro if is_ws else helpers.ccxt
    return getattr(library, exchange_id)({**args, **order['settings']})


helpers.init_exchange = init_exchange
Runner = importlib.import_module('tests_sync' if is_sync else 'tests_async').testMainClass


class JudgedRunner(Runner):
    def expand_settings(self, exchange):
        super().expand_settings(exchange)
        self.skipped_methods = {}

    def get_exchange_code(self, exchange, codes=None):
        # Theirs is a currency that the venue may not have, of which every list is empty.
        return order['code']

    def is_tested(self, method, exchange):
        return method in self.test_files and (bool(exchange.has.get(method)) or method in OF_NO_METHOD)

    def left_over(self, exchange):
        """Tests that no list of the runner's has."""
        seen = {**problems, **answer['skipped']}
        return [it for it in self.test_files if it not in seen and it not in LEFT_OUT and self.is_tested(it, exchange)]

    def begin(self, method, exchange, args, is_public):
        """What the test is to be run with. What is not judged here is left to the runner: it may have to load the markets."""
        is_left_out = (not is_public and method in self.checked_public_tests) or (is_funded and method != 'createOrder')
        if not self.is_tested(method, exchange) or is_left_out:
            return exchange, args
        reason = lacks.get(method) or order['unmended'].get(method) or self.skip_reason(method, exchange)
        if reason is not None:
            answer['skipped'][method] = reason
            return None, args
        problems[method] = ['the test did not finish']
        if method == 'fetchFundingRateHistory':
            args = [order['funded']]
        return Watched(exchange, method), args

    def end(self, method, watched, error=None):
        if not isinstance(watched, Watched):
            return
        if error is not None:
            problems[method] = [describe(error)]
        else:
            problems[method] = [] if method in OF_NO_METHOD else watched.problems()

    def skip_reason(self, method, exchange):
        if method == 'fetchCurrencies' and len(exchange.currencies) <= 5:
            return 'the test wants more than five currencies (test/exchange/*/test_fetch_currencies.py:31), and the venue has fewer'
        return None

    def arguments(self, method):
        """A test takes the exchange, its skips, and sometimes a symbol."""
        test = getattr(self.test_files[method], 'test_' + helpers.convert_to_snake_case(method))
        return [symbol] if len(inspect.signature(test).parameters) > 2 else []

    def finish(self):
        for method in CORE:
            if method not in problems and method not in answer['skipped']:
                problems[method] = ['the runner ended without its test']
        answer['hasEnded'] = True


class SyncRunner(JudgedRunner):
    def test_method(self, method, exchange, args, is_public):
        watched, args = self.begin(method, exchange, args, is_public)
        if watched is None:
            return True
        try:
            super().test_method(method, watched, args, is_public)
        except Exception as error:
            self.end(method, watched, error)
            raise
        self.end(method, watched)
        return True

    def start_test(self, exchange, chosen):
        super().start_test(exchange, chosen)
        for method in [] if is_funded else self.left_over(exchange):
            self.test_safe(method, exchange, self.arguments(method), True)
        self.finish()


class AsyncRunner(JudgedRunner):
    async def test_method(self, method, exchange, args, is_public):
        watched, args = self.begin(method, exchange, args, is_public)
        if watched is None:
            return True
        try:
            await super().test_method(method, watched, args, is_public)
        except Exception as error:
            self.end(method, watched, error)
            raise
        self.end(method, watched)
        return True

    async def start_test(self, exchange, chosen):
        await super().start_test(exchange, chosen)
        rest = [] if is_funded else self.left_over(exchange)
        await asyncio.gather(*(self.test_safe(method, exchange, self.arguments(method), True) for method in rest))
        await exchange.close()
        self.finish()


try:
    chosen = 'createOrder()' if is_funded else None
    if is_sync:
        SyncRunner().init('openperp', symbol, chosen)
    else:
        asyncio.run(AsyncRunner().init('openperp', symbol, chosen))
except SystemExit:
    pass
finally:
    write_answer()
