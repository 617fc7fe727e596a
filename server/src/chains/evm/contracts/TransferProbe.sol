// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice Makes one transfer of a token and measures it. It is never deployed: `eth_call` puts it in the place of
/// an account that holds the token (state override), so that nothing is signed and nothing happens on the chain.
contract TransferProbe {
    /// @return isAccepted whether the call succeeded and did not return false
    /// @return sent how much less this account has
    /// @return delivered how much more the recipient has
    function probe(address token, address recipient, uint256 amount)
        external
        returns (bool isAccepted, uint256 sent, uint256 delivered)
    {
        uint256 ours = balanceOf(token, address(this));
        uint256 theirs = balanceOf(token, recipient);
        (bool isDone, bytes memory answer) =
            token.call(abi.encodeWithSignature("transfer(address,uint256)", recipient, amount));
        isAccepted = isDone && (answer.length == 0 || (answer.length == 32 && uint256(bytes32(answer)) == 1));
        uint256 left = balanceOf(token, address(this));
        uint256 now_ = balanceOf(token, recipient);
        sent = ours > left ? ours - left : 0;
        delivered = now_ > theirs ? now_ - theirs : 0;
    }

    function balanceOf(address token, address account) private view returns (uint256) {
        (bool isDone, bytes memory answer) = token.staticcall(abi.encodeWithSignature("balanceOf(address)", account));
        require(isDone && answer.length == 32);
        return uint256(bytes32(answer));
    }
}
