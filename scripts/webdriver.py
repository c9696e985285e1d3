"""A browser by WebDriver: Chromium without a window, through chromedriver, with Python's library alone. For the
tests of HTML reports and for their pictures."""
import base64
import json
import shutil
import subprocess
import tempfile
import time
import urllib.request

ARGUMENTS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
             '--disable-component-update', '--disable-sync', '--hide-scrollbars', '--force-device-scale-factor=1']


def missing():
    """What is not installed; empty: nothing."""
    return ' and '.join(name for name in ('chromium', 'chromedriver') if not shutil.which(name))


class Browser:
    def __init__(self):
        self.home = tempfile.mkdtemp()
        self.driver = subprocess.Popen(['chromedriver', '--port=0'], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        port = None
        while port is None:
            line = self.driver.stdout.readline()
            assert line, 'chromedriver did not start'
            if 'started successfully on port' in line:
                port = int(line.rstrip('.\n').split()[-1])
        self.base = f'http://127.0.0.1:{port}/session'
        options = {'binary': shutil.which('chromium'), 'args': ARGUMENTS + ['--user-data-dir=' + self.home]}
        wanted = {'capabilities': {'alwaysMatch': {'goog:chromeOptions': options, 'goog:loggingPrefs': {'browser': 'ALL'}}}}
        self.base += '/' + self._ask('POST', '', wanted)['sessionId']

    def _ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {'Content-Type': 'application/json'}, method=method)
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=120) as answer:
            return json.load(answer)['value']

    def devtools(self, command, **parameters):
        return self._ask('POST', '/goog/cdp/execute', {'cmd': command, 'params': parameters})

    def open(self, path, width, height, dark=False):
        """The size is that of the page in CSS pixels, whatever a window may be."""
        self.devtools('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.devtools('Emulation.setEmulatedMedia', media='', features=[{'name': 'prefers-color-scheme', 'value': 'dark' if dark else 'light'}])
        self._ask('POST', '/url', {'url': 'file://' + path})
        self.settle()

    def settle(self):
        """What was asked for is drawn."""
        self._ask('POST', '/execute/async', {'script': 'const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()));', 'args': []})

    def run(self, script, *arguments):
        return self._ask('POST', '/execute/sync', {'script': script, 'args': list(arguments)})

    def pointer(self, x, y, press=True, kind='mouse'):
        """In CSS pixels of the window's content; then away from it."""
        moves = [{'type': 'pointerMove', 'x': round(x), 'y': round(y), 'duration': 0}]
        if press:
            moves += [{'type': 'pointerDown', 'button': 0}, {'type': 'pointerUp', 'button': 0}]
        self._ask('POST', '/actions', {'actions': [{'type': 'pointer', 'id': kind, 'parameters': {'pointerType': kind}, 'actions': moves}]})
        self.settle()

    def key(self, key):
        self._ask('POST', '/actions', {'actions': [{'type': 'key', 'id': 'keys', 'actions': [{'type': 'keyDown', 'value': key}, {'type': 'keyUp', 'value': key}]}]})
        self.settle()

    def console(self):
        """What the console has as warning or error since it was asked, but for a warning about a test that reads pixels."""
        return [entry['message'] for entry in self._ask('POST', '/se/log', {'type': 'browser'})
                if entry['level'] in ('SEVERE', 'WARNING') and 'willReadFrequently' not in entry['message']]

    def shot(self, whole=False):
        """A PNG of the window's content, or of the page."""
        shot = self.devtools('Page.captureScreenshot', format='png', captureBeyondViewport=whole)
        return base64.b64decode(shot['data'])

    def close(self):
        try:
            self._ask('DELETE', '')
        finally:
            self.driver.terminate()
            self.driver.wait()
            time.sleep(0.2)
            shutil.rmtree(self.home, ignore_errors=True)
