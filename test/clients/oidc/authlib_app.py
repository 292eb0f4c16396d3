# #region guide
from urllib.parse import urlencode

from authlib.integrations.flask_client import OAuth


def portico(app, issuer, client_id, client_secret):
    return OAuth(app).register(
        'portico',
        server_metadata_url=f'{issuer}/.well-known/openid-configuration',
        client_id=client_id,
        client_secret=client_secret,
        client_kwargs={'scope': 'openid email offline_access', 'code_challenge_method': 'S256'},
    )


def refreshed(client, token):
    return client.fetch_access_token(grant_type='refresh_token', refresh_token=token['refresh_token'])


def logout_url(client, token, signed_out_uri):
    parameters = {'id_token_hint': token['id_token'], 'post_logout_redirect_uri': signed_out_uri}
    return f"{client.load_server_metadata()['end_session_endpoint']}?{urlencode(parameters)}"
# #endregion


import os

from flask import Flask, redirect

env = os.environ
app = Flask(__name__)
app.secret_key = 'a secret of this application'
client = portico(app, env['ISSUER'], env['CLIENT_ID'], env['CLIENT_SECRET'])
# Of the one browser that comes.
kept = {}


def accepted(token, claims):
    kept['token'] = token
    return {'sub': claims['sub'], 'accessToken': token['access_token']}


@app.get('/login')
def login():
    return client.authorize_redirect(env['REDIRECT_URI'])


@app.get('/callback')
def callback():
    token = client.authorize_access_token()
    return accepted(token, token['userinfo'])


@app.get('/refresh')
def refresh():
    token = refreshed(client, kept['token'])
    return accepted(token, client.parse_id_token(token, nonce=None))


@app.get('/userinfo')
def userinfo():
    return dict(client.userinfo(token=kept['token']))


@app.get('/logout')
def logout():
    return redirect(logout_url(client, kept['token'], env['SIGNED_OUT_URI']))


app.run('127.0.0.1', int(env['PORT']))
