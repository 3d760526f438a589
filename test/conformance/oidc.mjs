// A token endpoint of oidc-provider with the grant of RFC 8693, and one more of its own that says how many exchanges there
// were. Prints its port, and ends with its standard input.
import Provider, { errors } from 'oidc-provider';

const exchange = 'urn:ietf:params:oauth:grant-type:token-exchange';
const accessToken = 'urn:ietf:params:oauth:token-type:access_token';
const shop = 'https://shop.example';
let exchanges = 0;

const provider = new Provider('http://127.0.0.1', {
  clients: [{
    client_id: 'me:and/you', client_secret: 'client:secret/with+signs', redirect_uris: [], response_types: [],
    grant_types: [exchange, 'client_credentials'], token_endpoint_auth_method: 'client_secret_basic', scope: 'read write',
  }],
  scopes: ['read', 'write'],
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: false },
    resourceIndicators: {
      enabled: true, defaultResource: () => shop, useGrantedResource: () => true,
      getResourceServerInfo: () => ({ scope: 'read write', audience: shop, accessTokenTTL: 300, accessTokenFormat: 'opaque' }),
    },
  },
});
provider.registerGrantType(exchange, async (ctx) => {
  const { client, params } = ctx.oidc;
  if (params.subject_token_type !== accessToken) throw new errors.InvalidRequest('subject_token_type');
  const subject = await provider.ClientCredentials.find(params.subject_token); // a token that this endpoint has given
  if (!subject) throw new errors.InvalidGrant('subject_token');
  exchanges += 1;
  const scopes = (params.scope || '').split(' ').filter((s) => ['read', 'write'].includes(s));
  const token = new provider.ClientCredentials({ client, scope: scopes.join(' ') });
  const value = await token.save();
  ctx.body = {
    access_token: value, issued_token_type: accessToken, token_type: 'Bearer', expires_in: token.expiration, scope: token.scope,
  };
}, ['subject_token', 'subject_token_type', 'requested_token_type', 'audience', 'resource', 'scope'], ['resource']);
provider.use(async (ctx, next) => {
  if (ctx.path === '/exchanges') ctx.body = { exchanges };
  else await next();
});
const server = provider.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.stdin.on('end', () => process.exit(0)).resume();
