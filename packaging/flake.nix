# A flake that fetches the archive of a release: nix run github:a2a-acp/a2a-acp
{
  description = "A safe, audited pair of hands between AI agents and a machine";
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";
  outputs = { self, nixpkgs }:
    let
      archives = {
        x86_64-linux = { name = "linux_amd64"; sha256 = "@LINUX_AMD64@"; };
        aarch64-linux = { name = "linux_arm64"; sha256 = "@LINUX_ARM64@"; };
        x86_64-darwin = { name = "darwin_amd64"; sha256 = "@DARWIN_AMD64@"; };
        aarch64-darwin = { name = "darwin_arm64"; sha256 = "@DARWIN_ARM64@"; };
      };
    in {
      packages = builtins.mapAttrs (system: archive:
        let pkgs = nixpkgs.legacyPackages.${system}; in {
          default = pkgs.stdenvNoCC.mkDerivation {
            pname = "a2a-acp";
            version = "@RELEASE_VERSION@";
            src = pkgs.fetchurl {
              url = "@RELEASE_URL@/a2a-acp_@RELEASE_VERSION@_${archive.name}.tar.gz";
              inherit (archive) sha256;
            };
            sourceRoot = ".";
            nativeBuildInputs = [ pkgs.installShellFiles ];
            installPhase = ''
              install -Dm755 a2a-acp $out/bin/a2a-acp
              installManPage a2a-acp.1.gz
              installShellCompletion --bash completions/a2a-acp.bash --zsh completions/a2a-acp.zsh --fish completions/a2a-acp.fish
            '';
            meta = { license = pkgs.lib.licenses.asl20; mainProgram = "a2a-acp"; };
          };
        }) archives;
    };
}
