# Homebrew's formula (https://docs.brew.sh/Formula-Cookbook): fetches the archive of a release.
class A2aAcp < Formula
  desc "Safe, audited pair of hands between AI agents and a machine"
  homepage "https://github.com/a2a-acp/a2a-acp"
  version "@RELEASE_VERSION@"
  license "Apache-2.0"

  on_macos do
    on_arm do
      url "@RELEASE_URL@/a2a-acp_@RELEASE_VERSION@_darwin_arm64.tar.gz"
      sha256 "@DARWIN_ARM64@"
    end
    on_intel do
      url "@RELEASE_URL@/a2a-acp_@RELEASE_VERSION@_darwin_amd64.tar.gz"
      sha256 "@DARWIN_AMD64@"
    end
  end
  on_linux do
    on_arm do
      url "@RELEASE_URL@/a2a-acp_@RELEASE_VERSION@_linux_arm64.tar.gz"
      sha256 "@LINUX_ARM64@"
    end
    on_intel do
      url "@RELEASE_URL@/a2a-acp_@RELEASE_VERSION@_linux_amd64.tar.gz"
      sha256 "@LINUX_AMD64@"
    end
  end

  def install
    bin.install "a2a-acp"
    man1.install "a2a-acp.1.gz"
    bash_completion.install "completions/a2a-acp.bash" => "a2a-acp"
    zsh_completion.install "completions/a2a-acp.zsh" => "_a2a-acp"
    fish_completion.install "completions/a2a-acp.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/a2a-acp version")
  end
end
